package specs_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/tests/specs/specgen"
)

var (
	count = flag.Int("specs", 12, "number of random specs")
	first = flag.Uint64("seed", 1, "seed of the first of them")
)

// TestKnown carries the smallest cases of faults that were found through everything.
func TestKnown(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	var specs []*drawn
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, generate(strings.TrimSuffix(filepath.Base(name), ".yaml"), string(text)))
	}
	check(t, specs)
	for _, s := range specs {
		if s.refused != "" {
			t.Errorf("%s: %s", s.name, s.refused)
		}
		for _, f := range s.failure {
			t.Errorf("%s: %s", s.name, f)
		}
	}
}

// mostShrunk is the number of specs that are made small, and shrinkCalls how many smaller ones are tried: each is compiled.
const (
	mostShrunk  = 3
	shrinkCalls = 60
)

// shrink returns the smallest spec it finds that fails in the same way.
func shrink(t *testing.T, s *drawn, tape specgen.Tape) *drawn {
	wrong := kindOf(s)
	specgen.Shrink(tape, shrinkCalls, func(tape specgen.Tape) bool {
		small := generate(s.name, specgen.Spec(tape))
		if check(t, []*drawn{small}); len(small.failure) == 0 || kindOf(small) != wrong {
			return false
		}
		s = small
		return true
	})
	return s
}

// kindOf is what is wrong with a spec, without what differs from one to the next.
func kindOf(s *drawn) string {
	first, _, _ := strings.Cut(s.failure[0], "\n")
	return regexp.MustCompile(`[0-9.e+-]+|seed\S*`).ReplaceAllString(first, "")
}

// FuzzSpec: whatever is drawn is generated, or refused with a diagnostic.
func FuzzSpec(f *testing.F) {
	for seed := range uint64(3) {
		f.Add([]byte(specgen.NewTape(seed)))
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		if s := generate("fuzz", specgen.Spec(tape)); len(s.failure) > 0 {
			t.Errorf("%s\n%s", strings.Join(s.failure, "\n"), s.text)
		}
	})
}

// TestKnownParameters: parameters that nothing steps are marked, whatever their shape, and no others.
func TestKnownParameters(t *testing.T) {
	text, err := os.ReadFile("testdata/known.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := generate("known", string(text))
	if len(s.files) == 0 {
		t.Fatal(s.refused, s.failure)
	}
	marked := regexp.MustCompile(`Name:\s+"(\w+)",[^{}]*(?:\[\]runtime\.Dim\{(?:\{[^{}]*\},?\s*)*\})?[^{}]*Known:\s+true`).FindAllStringSubmatch(string(s.files[0].Data), -1)
	var names []string
	for _, m := range marked {
		names = append(names, m[1])
	}
	if want := []string{"w", "S"}; !slices.Equal(names, want) {
		t.Errorf("known are %v, not %v", names, want)
	}
}

// TestRandom carries random specs through everything.
func TestRandom(t *testing.T) {
	var specs []*drawn
	tapes := map[*drawn]specgen.Tape{}
	for i := range *count {
		tape := specgen.NewTape(*first + uint64(i))
		s := generate(fmt.Sprintf("seed%d", *first+uint64(i)), specgen.Spec(tape))
		specs, tapes[s] = append(specs, s), tape
	}
	check(t, specs)
	refused, shrunk := 0, 0
	for _, s := range specs {
		if s.refused != "" {
			refused++
			t.Logf("%s: %s", s.name, s.refused)
		}
		if len(s.failure) == 0 {
			continue
		}
		if shrunk < mostShrunk {
			shrunk++
			s = shrink(t, s, tapes[s])
		}
		t.Errorf("%s: %s\n%s", s.name, strings.Join(s.failure, "\n"), s.text)
	}
	if refused > 1+*count/10 {
		t.Errorf("%d of %d specs are refused", refused, *count)
	}
}
