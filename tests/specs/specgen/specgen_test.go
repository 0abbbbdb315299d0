package specgen

import (
	"bytes"
	"testing"
)

// A tape shrinks to what is needed to fail, and to no more calls than are allowed.
func TestShrink(t *testing.T) {
	calls := 0
	fails := func(tape Tape) bool {
		calls++
		return bytes.Count(tape, []byte{7}) >= 2
	}
	tape := Tape(bytes.Repeat([]byte{1, 2, 7, 3}, 50))
	if got := Shrink(tape, 1000, fails); !bytes.Equal(got, []byte{7, 7}) {
		t.Errorf("shrunk to %v", got)
	}
	calls = 0
	if got := Shrink(tape, 10, fails); calls > 10 || bytes.Count(got, []byte{7}) < 2 {
		t.Errorf("%v after %d calls", got, calls)
	}
}

// The same tape gives the same spec, and the empty one a spec too, the simplest.
func TestSame(t *testing.T) {
	for seed := range uint64(20) {
		first, second := Spec(NewTape(seed)), Spec(NewTape(seed))
		if first != second {
			t.Errorf("seed %d gives two specs", seed)
		}
	}
	if len(Spec(nil)) > len(Spec(NewTape(1))) {
		t.Errorf("the simplest spec is long:\n%s", Spec(nil))
	}
}
