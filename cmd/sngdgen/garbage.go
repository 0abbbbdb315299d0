package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

const (
	// firstGC is the percentage of debug.SetGCPercent up to the first collection of garbage, which comes at 16 MB then, 4 MB for each hundred: a small fit has
	// ended by then, or nearly so, and before that collections would find little but what reading the file and the command line has left.
	firstGC = 400
	// derivationGC is that during a derivation, which makes some tens of megabytes of garbage, of which less is collected while it lasts.
	derivationGC = 800
)

// collector says how often garbage is collected.
type collector struct {
	lock        sync.Mutex
	usual       int  // the percentage that is asked for otherwise
	known       bool // whether usual is known, as it is from the first change on
	first       bool // nothing has been collected yet, and the first collection may wait
	derivations int  // that are under way
}

// garbage is that of the process.
var garbage collector

// begin lets the first collection wait. After it garbage is collected as usual, as otherwise the memory of a large fit would be more. Who has set how often, by
// GOGC, is obeyed; GOMEMLIMIT is in any case.
func (c *collector) begin() {
	if os.Getenv("GOGC") != "" {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.first = true
	c.set()
	seen := new(struct{ _ *byte }) // has a pointer, so that it shares its memory with nothing
	runtime.AddCleanup(seen, func(c *collector) { c.collected() }, c)
}

// collected is called after the first collection.
func (c *collector) collected() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.first = false
	c.set()
}

// derive begins a derivation, and returns what ends it.
func (c *collector) derive() (end func()) {
	add := func(n int) {
		c.lock.Lock()
		defer c.lock.Unlock()
		c.derivations += n
		c.set()
	}
	add(1)
	return func() { add(-1) }
}

// set tells the runtime.
func (c *collector) set() {
	if !c.known {
		c.usual, c.known = debug.SetGCPercent(derivationGC), true
	}
	switch {
	case c.derivations > 0:
		debug.SetGCPercent(derivationGC)
	case c.first:
		debug.SetGCPercent(firstGC)
	default:
		debug.SetGCPercent(c.usual)
	}
}
