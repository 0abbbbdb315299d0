package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// gcPercent is how often garbage is collected now.
func gcPercent() int {
	now := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(now)
	return int(now[0].Value.Uint64())
}

// TestFirstCollection: only the first collection of garbage waits, and none where somebody has said how often there are to be some.
func TestFirstCollection(t *testing.T) {
	usual := gcPercent()
	defer debug.SetGCPercent(usual)
	t.Setenv("GOGC", "100")
	if delayCollection(); gcPercent() != usual {
		t.Errorf("%d%%, not %d%%, where GOGC is there", gcPercent(), usual)
	}
	t.Setenv("GOGC", "")
	if delayCollection(); gcPercent() != firstGC {
		t.Errorf("%d%%, not %d%%, at the start", gcPercent(), firstGC)
	}
	for deadline := time.Now().Add(time.Minute); gcPercent() != usual; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(deadline) {
			t.Fatal("the first collection was not noticed")
		}
	}
}
