package specs_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	refused := 0
	for _, s := range specs {
		if s.refused != "" {
			refused++
			t.Logf("%s: %s", s.name, s.refused)
		}
		if len(s.failure) > 0 {
			t.Errorf("%s: %s\n%s", s.name, strings.Join(s.failure, "\n"), s.text)
		}
	}
	if refused > 1+*count/10 {
		t.Errorf("%d of %d specs are refused", refused, *count)
	}
}
