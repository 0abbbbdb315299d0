// Package specgen draws whole specs at random: problems with targets made of formulas over variables and parameters of all
// types, under names that are also those of emitted code, with surrogates, dimensions, mixtures and variational objectives.
//
// All choices are read from a [Tape]. So a spec can be drawn from a seed or by the fuzzer of package testing, and one that
// fails a test shrinks with its tape: where that ends or holds zeros, the simplest choice is made.
package specgen

import "math/rand/v2"

// Tape is a sequence of choices, one byte each. Past its end all are 0, the simplest one.
type Tape []byte

// NewTape returns the tape of a seed.
func NewTape(seed uint64) Tape {
	rng := rand.New(rand.NewPCG(seed, 41))
	t := make(Tape, 600)
	for i := range t {
		t[i] = byte(rng.UintN(256))
	}
	return t
}

// reader reads choices.
type reader struct {
	rest Tape
	name func(i int) string
}

// below is a number from 0 to n-1.
func (r *reader) below(n int) int {
	if len(r.rest) == 0 {
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return int(b) % n
}

// once in n times it is true.
func (r *reader) rarely(n int) bool { return r.below(n) == n-1 }

func pick[T any](r *reader, list []T) T { return list[r.below(len(list))] }

// Shrink returns a shorter or simpler tape for which fails is still true, of which there are at most the given number of
// calls: parts are left out, then set to 0, larger ones first.
func Shrink(t Tape, calls int, fails func(Tape) bool) Tape {
	try := func(candidate Tape) bool {
		calls--
		if calls < 0 || !fails(candidate) {
			return false
		}
		t = candidate
		return true
	}
	for n := len(t) / 2; n > 0; n /= 2 {
		for at := 0; at+n <= len(t); {
			if !try(append(append(Tape{}, t[:at]...), t[at+n:]...)) {
				at += n
			}
		}
		for at := 0; at+n <= len(t); at += n {
			zeros := append(Tape{}, t...)
			clear(zeros[at : at+n])
			if string(zeros) != string(t) {
				try(zeros)
			}
		}
	}
	return t
}
