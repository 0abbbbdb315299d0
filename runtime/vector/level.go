// Package vector has the inner loops of linear algebra and of functions over slices in assembly, for AVX-512 and for AVX2
// with fused multiply-add. Package dense decides with Active whether it calls them: where the processor has neither,
// nothing here may be called, and dense and special go their own ways in Go.
//
// The assembly is written by internal/vectorgen, which also refuses instructions that Active does not ask the processor for.
// A kernel adds up in the same order on both levels, with one rounding for a product and its sum, so that both give the same
// bits. Nothing allocates or starts a goroutine, and no call of assembly takes longer than some tens of microseconds, as
// a goroutine cannot be stopped in it. Slices that are too short make a panic.
package vector

// Level is a set of instructions.
type Level int

// The levels. Go is no assembly at all.
const (
	Go Level = iota
	AVX2
	AVX512
)

// String is the name that the environment variable SNGDGEN_KERNELS has for the level.
func (l Level) String() string { return [...]string{"go", "avx2", "avx512"}[l] }

// best is what the processor has.
var best = detect()

// active is what is used: see Use.
var active = best

// Active is the level that is used: the best that the processor has, unless Use said something else, which package environment
// does where the variable SNGDGEN_KERNELS is set. That makes reports of faults repeatable on other machines.
func Active() Level { return active }

// On reports whether there are kernels.
func On() bool { return active != Go }

// Use changes the level, and returns the last. A level that the processor does not have is the best below it. Nothing else
// may be running.
func Use(l Level) (last Level) {
	last = active
	active = min(l, best)
	return last
}

// lanes is how many numbers a vector has.
func lanes() int {
	if active == AVX512 {
		return 8
	}
	return 4
}
