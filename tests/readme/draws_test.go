package readme_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// golden has rows of draws of every problem of the library that can be drawn from.
var golden = filepath.Join("testdata", "draws.txt")

// TestDraws: the same seed gives the same data, as `sngdgen sample` prints them, in this version and the next. Where a change
// is meant, it is one that users notice: it belongs into CHANGELOG.md, and then -update writes the new rows. Digits beyond the
// ninth may be those of better special functions.
func TestDraws(t *testing.T) {
	now := map[string][]float64{}
	for _, name := range librarytest.Names() {
		newModel := librarytest.Model(t, name)
		if m := newModel(); canDraw(m) {
			now[name] = draws(t, m)
		}
	}
	if *update {
		writeDraws(t, now)
		return
	}
	before := readDraws(t)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		switch want, ok := before[name]; {
		case !ok:
			t.Errorf("%s is new: go test ./tests/readme -run TestDraws -update", name)
		case !slices.EqualFunc(now[name], want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }):
			t.Errorf("%s: draws of seed 1 have changed, which is to be said in CHANGELOG.md\n%v\nbefore\n%v", name, now[name], want)
		}
	}
	for name := range before {
		if now[name] == nil {
			t.Errorf("%s cannot be drawn from any more", name)
		}
	}
	if len(now) < 30 {
		t.Errorf("only %d problems can be drawn from", len(now))
	}
}

func canDraw(m runtime.Model) bool {
	_, ok := m.(runtime.Sampler)
	return ok
}

// draws are two rows of seed 1: dimensions are 3, components 2, and numbers that may be anything 1/2, so that what is
// skewed or shifted is.
func draws(t *testing.T, m runtime.Model) []float64 {
	t.Helper()
	info, components := m.Info(), 0
	if info.Mixture {
		components = 2
	}
	var set []estimate.Value
	for _, p := range info.Parameters {
		if plain := p.Type.Form == types.Number || p.Type.Form == types.FormNamed("vector"); plain && p.Type.Entry == types.Real {
			set = append(set, estimate.Value{Name: p.Name, Value: 0.5})
		}
	}
	request := estimate.SampleRequest{Rows: 2, Seed: 1, Set: set, Components: components, Fallback: 3}
	d, err := estimate.Sample(m, request)
	if err != nil { // the defaults, 1 for positive numbers, may be outside the domain, as few degrees of freedom are
		for _, p := range info.Parameters {
			if p.Type.Form == types.Number && p.Type.Entry == types.Positive {
				request.Set = append(request.Set, estimate.Value{Name: p.Name, Value: 5})
			}
		}
		if d, err = estimate.Sample(m, request); err != nil {
			t.Fatalf("%s: %v", info.Name, err)
		}
	}
	return d.Values
}

func writeDraws(t *testing.T, all map[string][]float64) {
	t.Helper()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&text, "%s:", name)
		for _, x := range all[name] {
			fmt.Fprintf(&text, " %.12g", x)
		}
		text.WriteString("\n")
	}
	if err := os.WriteFile(golden, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

func readDraws(t *testing.T) map[string][]float64 {
	t.Helper()
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]float64{}
	for line := range strings.Lines(string(text)) {
		name, values, _ := strings.Cut(line, ":")
		for _, field := range strings.Fields(values) {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = append(all[name], x)
		}
	}
	return all
}
