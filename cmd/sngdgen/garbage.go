package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstGC is the percentage of debug.SetGCPercent up to the first collection of garbage, which comes at 16 MB then, 4 MB for each hundred: a small fit has
// ended by then, or nearly so, and before that collections would find little but what reading the file and the command line has left.
const firstGC = 400

// delayCollection lets the first collection of garbage wait. After it garbage is collected as usual, as otherwise the memory of a large fit would be more. Who
// has set how often, by GOGC, is obeyed; GOMEMLIMIT is in any case.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(firstGC)
	seen := new(struct{ _ *byte }) // has a pointer, so that it shares its memory with nothing
	runtime.AddCleanup(seen, func(usual int) { debug.SetGCPercent(usual) }, usual)
}
