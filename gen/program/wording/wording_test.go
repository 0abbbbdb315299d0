package wording_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program/wording"
	_ "github.com/sngdgen/sngdgen/internal/testseed"
)

func function(name string) *expr.Op {
	for _, op := range expr.Functions {
		if op.Name == name {
			return op
		}
	}
	panic(name)
}

func TestName(t *testing.T) {
	for _, c := range []struct {
		want   string
		op     *expr.Op
		names  []string
		coefs  []float64
		adding float64
	}{
		{"muDotEta", expr.Dot, []string{"mu", "eta"}, nil, 0},
		{"etaDotSigmaEta", expr.Dot, []string{"eta", "SigmaEta"}, nil, 0},
		{"SigmaEta", expr.MatMul, []string{"Sigma", "eta"}, nil, 0},
		{"invSigma", expr.Inv, []string{"Sigma"}, nil, 0},
		{"logDetSigma", expr.LogDet, []string{"Sigma"}, nil, 0},
		{"cholT", expr.Transpose, []string{"chol"}, nil, 0},
		{"xLessOrigin", expr.Difference, []string{"x", "origin"}, nil, 0},
		{"minusTwiceEta2", expr.Lin, []string{"eta2"}, []float64{-2}, 0},
		{"halfMu", expr.Lin, []string{"mu"}, []float64{0.5}, 0},
		{"nuPlus1", expr.Lin, []string{"nu"}, []float64{1}, 1},
		{"oneLessBeta", expr.Lin, []string{"beta"}, []float64{-1}, 1},
		{"xLessMu", expr.Lin, []string{"mu", "x"}, []float64{-1, 1}, 0},
		{"xPlusMu", expr.Lin, []string{"x", "mu"}, []float64{1, 1}, 0},
		{"", expr.Lin, []string{"x", "mu"}, []float64{1, 2}, 0},
		{"", expr.Lin, []string{"x"}, []float64{3.7}, 0},
		{"", expr.Lin, []string{"x", "mu"}, []float64{1, 1}, 1},
		{"invPi", expr.Prod, []string{"pi"}, []float64{-1}, 0},
		{"etaDotM1OverPi", expr.Prod, []string{"etaDotM1", "pi"}, []float64{1, -1}, 0},
		{"invSqrtNu", expr.Prod, []string{"nu"}, []float64{-0.5}, 0},
		{"rhoNuSquared", expr.Prod, []string{"rho", "nu"}, []float64{1, 2}, 0},
		{"", expr.Prod, []string{"rho", "nu"}, []float64{1, 0.3}, 0},
		{"expNu", function("exp"), []string{"nu"}, nil, 0},
		{"ndtrRatio", function("ndtr_ratio"), []string{""}, nil, 0},
		{"", function("log"), []string{""}, nil, 0},
		{"", expr.Dot, []string{"averyveryverylong", "name"}, nil, 0},
		{"", expr.MatMul, []string{"Sigma", ""}, nil, 0},
	} {
		f := wording.Formula{Op: c.op, Operands: c.names, Coefs: c.coefs, Const: c.adding}
		if got := wording.Name(f); got != c.want {
			t.Errorf("%v of %q with %v and %g is called %q, want %q", c.op, c.names, c.coefs, c.adding, got, c.want)
		}
	}
}

// TestLegible: whatever the operation and the operands, a name is one of Go and short, or there is none.
func TestLegible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op := rapid.SampledFrom(append(append(expr.Structural(), expr.Functions...), expr.Linalg()...)).Draw(t, "op")
		count := op.Arity
		if count < 0 {
			count = rapid.IntRange(1, 3).Draw(t, "operands")
		}
		f := wording.Formula{Op: op, Const: rapid.SampledFrom([]float64{0, 1, -2, 0.3}).Draw(t, "const")}
		for range count {
			f.Operands = append(f.Operands, rapid.SampledFrom([]string{"", "x", "mu", "m1", "logDetSigma", "p.n"}).Draw(t, "name"))
			f.Coefs = append(f.Coefs, rapid.SampledFrom([]float64{1, -1, 2, -0.5, 0.7}).Draw(t, "coef"))
		}
		if name := wording.Name(f); name != "" && !wording.Legible(name) {
			t.Fatalf("%q", name)
		}
	})
}

func TestTelling(t *testing.T) {
	for name, want := range map[string]bool{"mu": true, "m1": true, "t0": false, "t12_2": false, "sums": false, "column0": false, "p.n": false, "sumNu": true} {
		if wording.Telling(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}

// Names that differ in case alone are two behind a word.
func TestBehind(t *testing.T) {
	for name, want := range map[string]string{"x": "blockX", "X": "block_X", "sumX": "blockSumX"} {
		if got := wording.Behind("block", name); got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
}
