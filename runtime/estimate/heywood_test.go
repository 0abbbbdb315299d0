package estimate_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// polls are the sizes of 127 samples, the shares of those who would leave the European Union and of the undecided, and the spread (brexit_polls of the R package dslabs 0.7.4).
var polls = []float64{
	4772, 0.48, 0, 0.04, 4700, 0.45, 0, 0.1, 3766, 0.49, 0, 0.02, 1592, 0.46, 0.01, 0.03, 3011, 0.45, 0.09, -0.01, 1032, 0.46, 0, 0.08, 1032, 0.42, 0.11,
	0.06, 2320, 0.43, 0.16, -0.02, 1003, 0.44, 0.11, 0.01, 1652, 0.44, 0.13, -0.02, 800, 0.46, 0.02, 0.07, 1004, 0.42, 0.13, 0.03, 1694, 0.43, 0.09, 0.01,
	2006, 0.44, 0.12, 0, 1734, 0.44, 0.09, -0.02, 1104, 0.45, 0.13, -0.03, 1468, 0.47, 0.16, -0.1, 1064, 0.43, 0.11, 0.03, 1257, 0.49, 0.03, -0.06, 1905,
	0.46, 0.15, -0.07, 1000, 0.5, 0.05, -0.05, 2001, 0.49, 0.07, -0.05, 1002, 0.45, 0.09, 0.01, 2497, 0.47, 0.13, -0.07, 800, 0.49, 0.03, -0.01, 1671,
	0.43, 0.11, -0.01, 2009, 0.42, 0.13, 0.02, 2052, 0.55, 0, -0.1, 2001, 0.42, 0.11, 0.01, 2047, 0.48, 0.09, -0.05, 800, 0.47, 0.05, 0.01, 3405, 0.45,
	0.11, -0.04, 2007, 0.41, 0.16, 0.02, 2007, 0.43, 0.16, -0.03, 1735, 0.41, 0.13, 0, 1004, 0.45, 0.15, -0.03, 2052, 0.47, 0.09, -0.03, 800, 0.46, 0.03,
	0.05, 1638, 0.45, 0.12, -0.01, 1013, 0.38, 0.18, 0.06, 1756, 0.41, 0.13, 0, 1213, 0.43, 0.16, -0.02, 2003, 0.45, 0.1, 0, 800, 0.42, 0.03, 0.13, 2008,
	0.4, 0.14, 0.04, 1648, 0.4, 0.12, 0.04, 1000, 0.41, 0.07, 0.11, 1002, 0.37, 0.05, 0.18, 1002, 0.39, 0.14, 0.08, 2048, 0.47, 0.1, -0.04, 800, 0.4,
	0.05, 0.15, 1222, 0.41, 0.21, -0.03, 996, 0.39, 0.22, -0.03, 1973, 0.4, 0.16, -0.02, 2005, 0.46, 0.11, -0.02, 3378, 0.4, 0.13, 0.02, 2040, 0.45, 0.11,
	-0.01, 2029, 0.46, 0.11, -0.03, 2005, 0.41, 0.14, 0.01, 2000, 0.51, 0, -0.02, 1221, 0.36, 0.26, 0.03, 1650, 0.42, 0.13, -0.01, 1003, 0.38, 0.17, 0.07,
	2001, 0.45, 0.13, -0.02, 2001, 0.46, 0.1, -0.02, 800, 0.43, 0.06, 0.08, 1002, 0.4, 0.09, 0.11, 1026, 0.39, 0.08, 0.1, 1003, 0.41, 0.11, 0.07, 2008,
	0.44, 0.13, -0.01, 800, 0.41, 0.06, 0.12, 1198, 0.34, 0.28, 0.04, 3371, 0.39, 0.16, 0.01, 1693, 0.39, 0.17, 0, 1198, 0.35, 0.3, 0, 1002, 0.38, 0.17,
	0.07, 2030, 0.45, 0.12, -0.03, 1612, 0.38, 0.16, 0.02, 3754, 0.38, 0.18, 0.01, 2007, 0.43, 0.13, 0.01, 800, 0.44, 0.05, 0.07, 1966, 0.43, 0.18, -0.04,
	1193, 0.35, 0.3, 0, 1518, 0.45, 0.14, -0.04, 2002, 0.49, 0, 0.02, 1970, 0.43, 0.12, 0.02, 1023, 0.41, 0.1, 0.08, 1688, 0.37, 0.19, 0.03, 1002, 0.41,
	0.11, 0.07, 2000, 0.43, 0.17, -0.02, 1006, 0.35, 0.19, 0.11, 823, 0.49, 0.04, -0.02, 2031, 0.41, 0.16, 0.02, 2282, 0.4, 0.16, 0.05, 4047, 0.45, 0.07,
	0.03, 966, 0.35, 0.15, 0.14, 2051, 0.41, 0.19, -0.01, 1695, 0.37, 0.18, 0.03, 1705, 0.35, 0.19, 0.05, 2233, 0.37, 0.19, 0.02, 2003, 0.41, 0.18, 0,
	2071, 0.45, 0.18, -0.06, 1002, 0.37, 0.15, 0.11, 2014, 0.52, 0, -0.04, 3482, 0.38, 0.25, -0.01, 1517, 0.36, 0.25, 0.02, 2021, 0.4, 0.17, 0.02, 1000,
	0.39, 0.1, 0.12, 938, 0.32, 0.23, 0.13, 1033, 0.41, 0.19, -0.01, 497, 0.36, 0.1, 0.18, 1079, 0.39, 0.25, -0.03, 2001, 0.39, 0.18, 0.04, 1105, 0.41,
	0.1, 0.08, 2018, 0.42, 0.17, -0.01, 1675, 0.45, 0.19, -0.09, 2002, 0.39, 0.19, 0.03, 1735, 0.42, 0.2, -0.04, 513, 0.36, 0.09, 0.19, 1511, 0.42, 0.14,
	0.02, 1006, 0.36, 0.1, 0.18, 2010, 0.41, 0.18, 0, 2015, 0.48, 0, 0.04, 2023, 0.4, 0.17, 0.02, 1017, 0.4, 0.22, -0.02, 2087, 0.45, 0.12, -0.03, 2055,
	0.38, 0.18, 0.06,
}

// TestHeywoodOfTwo: with two factors of four variables the likelihood is highest where two of these are the factors, without noise, and the others are regressed on them: the supremum is that of a
// normal distribution of the two, and of two regressions, in closed form. The estimate is at infinity, with that likelihood, for the best two. One run led to another end, where the likelihood is lower.
func TestHeywoodOfTwo(t *testing.T) {
	m := librarytest.Interpreted(t, "factoranalysis")()
	if err := m.SetData(runtime.Data{Values: polls, Columns: 4}); err != nil {
		t.Fatal(err)
	}
	rep, err := estimate.Find(t.Context(), m, estimate.Settings{})
	if err != nil || rep.Status != runtime.AtInfinity || !strings.Contains(rep.Message, "sigma2[") {
		t.Fatalf("%v, %v: %s", err, rep.Status, rep.Message)
	}
	const n, d = 127.0, 4
	var s mat.SymDense
	stat.CovarianceMatrix(&s, mat.NewDense(n, d, polls), nil)
	s.ScaleSym((n-1)/n, &s)
	best := math.Inf(-1)
	for a := range d {
		for b := range a {
			det := s.At(a, a)*s.At(b, b) - s.At(a, b)*s.At(a, b)
			sum := -n / 2 * (2*math.Log(2*math.Pi) + math.Log(det) + 2)
			for j := range d {
				if j != a && j != b {
					u, v := s.At(j, a), s.At(j, b)
					left := s.At(j, j) - (u*u*s.At(b, b)-2*u*v*s.At(a, b)+v*v*s.At(a, a))/det
					sum -= n / 2 * (math.Log(2*math.Pi) + math.Log(left) + 1)
				}
			}
			best = math.Max(best, sum)
		}
	}
	if off := float64(rep.LogLikelihood) - best; math.Abs(off) > 1e-3 {
		t.Errorf("%v, and the supremum is %v", rep.LogLikelihood, best)
	}
}
