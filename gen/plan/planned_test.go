package plan_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/verify"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// checked plans a formula, and holds the program to the verifier and to the interpreter of expressions at several points.
func checked(t *testing.T, formula string) *program.Program {
	t.Helper()
	runs, d := 0, expr.Dim{Name: "d"}
	rapid.Check(t, func(t *rapid.T) {
		if runs++; runs > 40 {
			return
		}
		w := exprtest.NewLinalgWorld()
		n := w.Parse(t, formula)
		prog, err := planOf(w, n, d, rapid.Bool().Draw(t, "defined"))
		if err != nil {
			t.Fatal(err)
		}
		if err := verify.Program(prog); err != nil {
			t.Fatalf("%v\n%v", err, prog)
		}
		compare(t, n, prog, nil, exprtest.LinalgPoint(t), 2)
	})
	w := exprtest.NewLinalgWorld()
	prog, err := planOf(w, w.Parse(t, formula), d, false)
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// kernelsOf counts the calls of kernels.
func kernelsOf(p *program.Program) map[string]int {
	calls := map[string]int{}
	program.Walk(p.Body, func(s program.Stmt) {
		if c, ok := s.(*program.Call); ok {
			calls[c.Kernel]++
		}
	})
	return calls
}

// Which kernels formulas take, by hand; the values are those of the formulas.
func TestKernelsOfFormulas(t *testing.T) {
	for formula, want := range map[string]string{
		"dot(x, solve(A, y)) + dot(x, solve(A, x))":         "Cholesky Dot Dot SolveLower SolveLower",
		"solve(A, x)*dot(x, solve(A, x))":                   "Cholesky Dot Solve",
		"B' @ x":                                            "MulTVec",
		"B @ x + s*(B @ (B @ x))":                           "MulVec MulVec ScaledSum",
		"logdet(inv(A))":                                    "Cholesky LogDet",
		"D @ B @ D":                                         "Mul Mul",
		"B @ diag(p) @ L":                                   "Mul",
		"B @ L @ B":                                         "Mul Mul",
		"D @ B @ L + B @ D @ L":                             "Mul Mul Mul Mul Plus",
		"inv(A) @ R @ inv(A)":                               "Cholesky Mirrored SolveLowerBoth SolveLowerTBoth",
		"inv(A) @ B @ inv(A)":                               "Cholesky SolveRows SolveRows Transpose Transpose",
		"tr(R @ A)*L":                                       "SymmetricDot",
		"tr((R + s*outer(x, y)) @ A)*L":                     "Dot SymmetricDot SymmetricMulVec",
		"s*(A + outer(x, y) + outer(y, x)) - R":             "MirroredSumRankTwo",
		"tr(inv(A) @ R)":                                    "Cholesky TraceOfSolve",
		"tr(inv(A))":                                        "Cholesky TraceOfInverse",
		"diag(inv(A) @ B)":                                  "Cholesky DiagOfSolve Transpose",
		"B - (3*eye(d) + s*outer(x, y))":                    "AddToDiagonal PlusOuter",
		"solve(A, x - s*y)*total((x - s*y)^2)":              "Cholesky Dot ScaledSum Solve",
		"inv(L) @ x + inv(L') @ y":                          "Plus SolveLower SolveLowerT",
		"outer(B @ (x - y), y - x) + outer(x, B @ (y - x))": "Minus MulVec",
		"inv(L') @ B + B @ inv(L)":                          "Plus SolveLowerTRows SolveLowerTRows Transpose Transpose",
		"exp(logdet(A)/9)*B + dot(x, A @ y)*L":              "Cholesky Dot LogDet ScaledSum SymmetricMulVec",
	} {
		t.Run(formula, func(t *testing.T) {
			prog := checked(t, formula)
			var got []string
			for name, n := range kernelsOf(prog) {
				if name != "copy" && name != "clear" && name != "Mirror" && name != "Scale" {
					got = append(got, slices.Repeat([]string{name}, n)...)
				}
			}
			slices.Sort(got)
			if strings.Join(got, " ") != want {
				t.Errorf("%s, not %s:\n%v", strings.Join(got, " "), want, prog)
			}
		})
	}
}

// Vectors that scale the rows and the columns of a matrix, or that an outer product is of, are computed in front of the loop over its entries where they
// cost more than a division.
func TestVectorsBesideMatrices(t *testing.T) {
	for formula, want := range map[string]int{
		"diag(1/sqrt(p)) @ B @ diag(exp(x))": 2,
		"B + outer(exp(x), tanh(y))":         2,
		"diag(x*y) @ B @ diag(p*x)":          0,
		"s*(B + outer(2*x, y))":              0,
		"diag(exp(x)) @ B @ A":               1,
	} {
		t.Run(formula, func(t *testing.T) {
			prog, vectors := checked(t, formula), 0
			program.Walk(prog.Body, func(s program.Stmt) {
				e, ok := s.(*program.Each)
				switch {
				case !ok:
				case len(e.Shape.Dims) == 1:
					vectors += len(e.Writes)
				default:
					for _, w := range e.Writes {
						if text := program.Formula(w.Value); strings.Contains(text, "exp(") || strings.Contains(text, "tanh(") || strings.Contains(text, "^") {
							t.Errorf("every entry takes %s:\n%v", text, prog)
						}
					}
				}
			})
			if vectors != want {
				t.Errorf("%d vectors, not %d:\n%v", vectors, want, prog)
			}
		})
	}
}

// The trace of inv(A) S is read off the way to inv(A) T inv(A), where T is made of S, A and outer products.
func TestTraces(t *testing.T) {
	for _, formula := range []string{
		"inv(A) @ (2*A - s*R) @ inv(A) + tr(inv(A) @ R)*B",
		"inv(A) @ (A/3 + s*(R - outer(x, y) - outer(y, x))) @ inv(A) + tr(inv(A) @ R)*B",
		"inv(A) @ (R + s*outer(x - y, p)) @ inv(A) - tr(inv(A) @ R)*L",
	} {
		if prog := checked(t, formula); kernelsOf(prog)["TraceOfSolve"] > 0 {
			t.Errorf("%s makes an inverse:\n%v", formula, prog)
		}
	}
	if prog := checked(t, "inv(A) @ (B + B' + R) @ inv(A) + tr(inv(A) @ R)*B"); kernelsOf(prog)["TraceOfSolve"] != 1 {
		t.Errorf("the trace of inv(A) B is not known:\n%v", prog)
	}
}
