package clock_test

import (
	goruntime "runtime"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/tests/paper/clock"
)

// TestNow: the time of the program has that of all its threads, and not only of the one that asks.
func TestNow(t *testing.T) {
	if !clock.PerThread {
		t.Skip("the time of a thread is not known here")
	}
	before := clock.Now()
	used := make(chan time.Duration)
	go func() {
		goruntime.LockOSThread()
		defer goruntime.UnlockOSThread()
		begin := clock.Thread()
		for clock.Thread() < begin+5*time.Millisecond {
		}
		used <- clock.Thread() - begin
		<-used // the thread is still there when it is asked for
	}()
	least := <-used
	if now := clock.Now() - before; now < least {
		t.Errorf("the program has used %v, one of its threads %v", now, least)
	}
	used <- 0
}

// TestWaiting: waiting takes no time of the processor.
func TestWaiting(t *testing.T) {
	if !clock.PerThread {
		t.Skip("the clock is the one on the wall")
	}
	before := clock.Now()
	time.Sleep(50 * time.Millisecond)
	if used := clock.Now() - before; used > 25*time.Millisecond {
		t.Errorf("waiting for 50 ms has taken %v", used)
	}
}
