//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// mostAtStart is how many allocations a package of this module may make before the command begins. The tables of most have none, or are made when they
// are first asked for (sync.OnceValue), as a command needs few of them.
const mostAtStart = 32

// moreAtStart are packages that need more: the functions of the language are compared by their addresses.
var moreAtStart = map[string]int{"expr": 450}

// TestStart: whatever a command does, it has made next to nothing before.
func TestStart(t *testing.T) {
	c := exec.Command(self(t), "version")
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var said strings.Builder
	c.Stderr = &said
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(said.String()) {
		const module = "init github.com/sngdgen/sngdgen/"
		rest, ours := strings.CutPrefix(line, module)
		name, _, _ := strings.Cut(rest, " ")
		if !ours || name == "cmd/sngdgen" { // which has what its tests need here
			continue
		}
		var at, took float64
		var bytes, allocations int
		if _, err := fmt.Sscanf(strings.TrimPrefix(rest, name), " @%g ms, %g ms clock, %d bytes, %d allocs", &at, &took, &bytes, &allocations); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		seen++
		if most := max(mostAtStart, moreAtStart[name]); allocations > most {
			t.Errorf("%s makes %d allocations before a command begins, more than %d: make its tables at their first use", name, allocations, most)
		}
	}
	if seen < 20 {
		t.Errorf("%d packages in\n%s", seen, said.String())
	}
}
