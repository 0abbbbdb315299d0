package steps

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// bare has the memory for the calls of BLAS and LAPACK that a step needs whoever writes it, through gonum, on rows x
// (b x d) and a positive definite matrix s (d x d).
type bare struct {
	x, rows     blas64.General
	s, gram     blas64.Symmetric
	factor      blas64.Symmetric
	product     blas64.General
	vec, perRow blas64.Vector
}

func newBare(b, d int, x, s []float64) *bare {
	general := func(r, c int, data []float64) blas64.General {
		return blas64.General{Rows: r, Cols: c, Stride: c, Data: data}
	}
	symmetric := func(data []float64) blas64.Symmetric {
		return blas64.Symmetric{N: d, Stride: d, Data: data, Uplo: blas.Lower}
	}
	vector := func(n int) blas64.Vector { return blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)} }
	return &bare{
		x: general(b, d, x), rows: general(b, d, make([]float64, b*d)),
		s: symmetric(s), gram: symmetric(make([]float64, d*d)), factor: symmetric(make([]float64, d*d)),
		product: general(d, d, make([]float64, d*d)), vec: vector(d), perRow: vector(b),
	}
}

// byRows is x v, a number for each row; weighted is x'w.
func (p *bare) byRows()   { blas64.Gemv(blas.NoTrans, 1, p.x, p.vec, 0, p.perRow) }
func (p *bare) weighted() { blas64.Gemv(blas.Trans, 1, p.x, p.perRow, 0, p.vec) }

// symv is s v.
func (p *bare) symv() { blas64.Symv(1, p.s, p.vec, 0, p.vec) }

// moments is x'x.
func (p *bare) moments() { blas64.Syrk(blas.Trans, 1, p.x, 0, p.gram) }

// factorise is the Cholesky factor of s.
func (p *bare) factorise() blas64.Triangular {
	copy(p.factor.Data, p.s.Data)
	t, ok := lapack64.Potrf(p.factor)
	if !ok {
		panic("not positive definite")
	}
	return t
}

// solveRows is a triangular solve with all rows.
func (p *bare) solveRows(t blas64.Triangular, trans blas.Transpose) {
	copy(p.rows.Data, p.x.Data)
	blas64.Trsm(blas.Right, trans, 1, t, p.rows)
}

// solve is a triangular solve with d right-hand sides.
func (p *bare) solve(t blas64.Triangular) { blas64.Trsm(blas.Left, blas.NoTrans, 1, t, p.product) }

// symm is a product of two d x d matrices, one symmetric.
func (p *bare) symm() { blas64.Symm(blas.Left, 1, p.s, p.product, 0, p.product2()) }

func (p *bare) product2() blas64.General {
	return blas64.General{Rows: p.s.N, Cols: p.s.N, Stride: p.s.N, Data: p.gram.Data}
}

// mandatory are the calls of each problem, for one step in mean coordinates on a batch, without the loss.
var mandatory = map[string]func(*bare){
	"mvnormal": func(p *bare) {
		p.moments()
		p.weighted()
	},
	"skewnormal": func(p *bare) {
		p.moments()
		p.byRows()
		p.weighted()
		p.weighted()
		p.symv()
	},
	"mvstudentt": func(p *bare) {
		p.solveRows(p.factorise(), blas.Trans)
		p.moments()
		p.weighted()
	},
	"skewt": func(p *bare) {
		p.solveRows(p.factorise(), blas.Trans)
		p.moments()
		p.byRows()
		p.weighted()
		p.weighted()
		p.symv()
	},
	"gaussiancopula": func(p *bare) {
		t := p.factorise()
		p.moments()
		p.solve(t)
		p.symm()
	},
	"tcopula": func(p *bare) {
		t := p.factorise()
		p.solveRows(t, blas.Trans)
		p.solveRows(t, blas.NoTrans)
		p.moments()
		p.solve(t)
		p.symm()
	},
}
