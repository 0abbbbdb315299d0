package vector

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// arena is memory between pages that nobody may touch.
type arena []float64

func newArena(t *testing.T, pages int) arena {
	t.Helper()
	size := syscall.Getpagesize()
	all, err := syscall.Mmap(-1, 0, (pages+2)*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no pages to be had: ", err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(all) })
	for _, guard := range [][]byte{all[:size], all[(pages+1)*size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Skip("pages cannot be protected: ", err)
		}
	}
	a := unsafe.Slice((*float64)(unsafe.Pointer(&all[size])), pages*size/8)
	for i := range a {
		a[i] = 1
	}
	return a
}

// take is n numbers at the end, or at the beginning.
func (a arena) take(n int, atEnd bool) []float64 {
	if atEnd {
		return a[len(a)-n:]
	}
	return a[:n:n]
}

// TestBounds runs all kernels on slices that end, or begin, where the memory does: a number read too much ends the program.
func TestBounds(t *testing.T) {
	var arenas []arena
	for range 4 {
		arenas = append(arenas, newArena(t, 40))
	}
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(17, 18))
		for trial := range 1500 {
			end := trial%2 == 0
			take := func(i, n int) []float64 { return arenas[i].take(n, end) }
			m, k, n := 1+rng.IntN(40), 1+rng.IntN(40), 1+rng.IntN(60)
			for _, p := range []Mul{
				{A: Matrix{take(0, m*k), k, 1}, B: Matrix{take(1, k*n), n, 1}},
				{A: Matrix{take(0, m*k), 1, m}, B: Matrix{take(1, k*n), n, 1}, W: take(3, k)},
				{A: Matrix{take(0, m*k), k, 1}, B: Matrix{take(1, k*n), 1, k}},
			} {
				p.C, p.Alpha = Matrix{take(2, m*n), n, 1}, 0.5
				p.Run(m, k, n)
				p.Lower = n >= m
				p.Run(m, k, n)
			}
			Transpose(take(0, m*n), m, take(1, m*n), n, m, n)
			l := take(0, n*n)
			SolveLowerRows(take(1, m*n), n, l, n, m, n)
			SquaresOfSolve(take(0, m), take(1, m*n), l, m, n)
			SolveLowerTRows(take(1, m*n), n, l, n, m, n)
			InvertLower(take(1, n*n), l, n)
			SquareLower(take(1, n*n), n)
			Cholesky(take(1, n*n), n, n)
			TurnLower(take(1, n*n), n, n)
			TurnUpper(take(1, n*n), n, n)
			MirrorLower(take(1, n*n), n, n)
			AddMulTVec(take(0, n), 0.5, take(1, m*n), take(2, m), m, n)
			Gather(take(0, 2*n), take(1, m*n), []int{m - 1, 0}, n)
			if m >= Together {
				AddMulVec(take(0, m), 0.5, take(1, m*n), take(2, n), m, n)
				RowsDot(take(0, m), take(1, m*n), take(2, m*n), m, n)
				SymmetricMulVec(take(0, m), take(1, m*m), take(2, m), m)
			}
			LowerSumRankTwo(take(0, n*n), 2, take(1, n*n), 3, take(2, n*n), 4, take(3, n), take(3, n), n, true)
			for _, f := range functions {
				f.run(take(0, n), take(1, n))
			}
			for o := range operations {
				Combine(Operation(o), take(0, n), take(1, n), take(2, n))
				CombineNumber(Operation(o), take(0, n), take(1, n), 2)
				CombineFrom(Operation(o), take(0, n), 2, take(1, n))
			}
			columns := 1 + rng.IntN(MostSparse)
			width := SparseWidth(columns)
			sparse := sparseOf(Matrix{take(0, m*k), k, 1}, m, k)
			sparse.Mul(take(1, m*width), take(2, m*width), take(3, k*width), columns, 0, m, 0, rng.IntN(2) == 0)
			Finite(take(0, n))
			LogSumExp(take(0, m), take(1, m*k), m, k)
			Softmax(take(2, m*k), take(0, m), take(1, m*k), m, k)
			for i := range arenas { // back to where numbers stay finite
				for j := range arenas[i] {
					arenas[i][j] = 1
				}
			}
		}
	})
}
