package invariants

import (
	"go/ast"
	"slices"
	"testing"
)

// impure lists what the generator may not import: with these, its output could depend on more than its input.
var impure = []string{
	"os/...", "time", "net/...", "syscall", "runtime/...", "unsafe", "plugin", "log/...", "testing/...", "path/filepath",
	"math/rand", "math/rand/v2", "crypto/rand",
}

// pardoned says why a package that gen links may import something impure all the same.
var pardoned = map[string]map[string]string{
	"spec": {
		"os":            "LoadFile reads the files of users; Generate is given what was loaded",
		"path/filepath": "as above",
	},
	"gen/check": {"math/rand/v2": "checks at random points, from a fixed seed: see TestSeeded"},
	"runtime": {
		"math/rand/v2": "it takes a generator from its caller",
		"time":         "loops tell how long they took; of the runtime the generator has the types of descriptions alone",
	},
	"runtime/random": {"math/rand/v2": "it takes a generator from its caller"},
	"runtime/types":  {"math/rand/v2": "it takes a generator from its caller"},
	"runtime/workers": {
		"runtime": "how many processors there are, which nothing that is computed depends on; of the runtime the generator has the types of descriptions alone",
		"time":    "how long who waits looks before it sleeps; as above",
	},
}

// TestPure covers every package of the module that gen links, so a new one is covered because gen uses it.
func TestPure(t *testing.T) {
	all := packages(t)
	i := slices.IndexFunc(all, func(p pkg) bool { return p.name() == "gen" })
	if i < 0 {
		t.Fatal("no package gen")
	}
	for _, p := range all {
		if p.name() != "gen" && !slices.Contains(all[i].Deps, p.ImportPath) {
			continue
		}
		for _, path := range p.Imports {
			if matchAny(impure, path) && pardoned[p.name()][path] == "" {
				t.Errorf("%s, which the generator uses, imports %s", p.name(), path)
			}
		}
	}
}

// seeded are the names of math/rand/v2 that do not draw from the generator of the process.
var seeded = []string{"New", "NewPCG", "NewChaCha8", "Rand", "Source", "PCG", "ChaCha8"}

// TestSeeded: same seed, same numbers. Nothing but the command draws from the generator of the process.
func TestSeeded(t *testing.T) {
	for _, p := range packages(t) {
		if match("cmd/...", p.name()) {
			continue
		}
		for _, path := range p.files() {
			fset, file := parse(t, path)
			selections(file, file, "math/rand/v2", func(name string, n ast.Node) {
				if !slices.Contains(seeded, name) {
					t.Errorf("%v: rand.%s draws from a generator without a seed", fset.Position(n.Pos()), name)
				}
			})
			selections(file, file, "math/rand", func(_ string, n ast.Node) {
				t.Errorf("%v: use math/rand/v2", fset.Position(n.Pos()))
			})
		}
	}
}
