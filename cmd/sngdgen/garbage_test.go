package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// gcPercent is how often garbage is collected now.
func gcPercent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}

// TestFirstCollection: only the first collection of garbage waits, whatever is derived meanwhile.
func TestFirstCollection(t *testing.T) {
	t.Setenv("GOGC", "")
	usual := gcPercent()
	defer debug.SetGCPercent(usual)
	var c collector
	expect := func(when string, want int) {
		t.Helper()
		if got := gcPercent(); got != want {
			t.Errorf("%s: %d%%, not %d%%", when, got, want)
		}
	}
	c.begin()
	expect("at the start", firstGC)
	c.derive()()
	expect("after a derivation", firstGC)
	end, other := c.derive(), c.derive()
	expect("in a derivation", derivationGC)
	collect(t, &c)
	expect("in a derivation, after a collection", derivationGC)
	end()
	expect("in another one", derivationGC)
	other()
	expect("after it", usual)
}

// collect collects garbage until c has noticed.
func collect(t *testing.T, c *collector) {
	waits := func() bool {
		c.lock.Lock()
		defer c.lock.Unlock()
		return c.first
	}
	for deadline := time.Now().Add(time.Minute); waits(); time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(deadline) {
			t.Fatal("the first collection was not noticed")
		}
	}
}

// TestGOGC: who says how often garbage is collected is obeyed.
func TestGOGC(t *testing.T) {
	t.Setenv("GOGC", "100")
	usual := gcPercent()
	defer debug.SetGCPercent(usual)
	new(collector).begin()
	if got := gcPercent(); got != usual {
		t.Errorf("%d%%, not %d%%", got, usual)
	}
}
