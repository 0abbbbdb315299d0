package special

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawStudent draws a point, in both tails and the middle, and degrees of freedom.
func drawStudent(t *rapid.T) (x, nu float64) {
	x = drawLog(t, "|x|", 1e-6, 30)
	if rapid.Bool().Draw(t, "left") {
		x = -x
	}
	return x, drawLog(t, "nu", 0.1, 1e6)
}

func TestStudentIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, nu := drawStudent(t)
		near(t, "F(x) + F(-x)", TCDF(x, nu)+TCDF(-x, nu), 1, 1, 2*eps)
		near(t, "exp(log F)", math.Exp(TLogCDF(x, nu)), TCDF(x, nu), TCDF(x, nu), (10+2*math.Abs(TLogCDF(x, nu)))*eps)
		near(t, "log f", math.Log(TRatio(x, nu))+TLogCDF(x, nu), TLogPDF(x, nu), 10+3*math.Abs(TLogPDF(x, nu)), 2*eps)
		slope := TQuantileDNuAt(x, nu)
		near(t, "dx/dnu", slope*TRatio(x, nu), -TLogCDFDNu(x, nu), math.Abs(TLogCDFDNu(x, nu)), 12*eps)
	})
}

func TestStudentMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, nu := drawStudent(t)
		step := drawLog(t, "step", 1e-14, 1)
		y := x + math.Abs(x)*step
		// Where x+|x| step differs by less than the error of log F, only that much is promised.
		slack := 8 * eps * math.Abs(TLogCDF(x, nu))
		if TLogCDF(y, nu) < TLogCDF(x, nu)-slack {
			t.Fatalf("log F falls from %v to %v", TLogCDF(x, nu), TLogCDF(y, nu))
		}
		less, more := TLogCDF(x, nu), TLogCDF(x, nu*(1+step))
		if x < 0 {
			less, more = more, less
		}
		if more < less-slack {
			t.Fatalf("|log F(x, nu)| grows in nu: %v, %v", less, more)
		}
	})
}

// The derivatives against differences of the functions themselves.
func TestStudentDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, nu := drawStudent(t)
		h := 1e-4 * math.Abs(x)
		ratio := (TLogCDF(x+h, nu) - TLogCDF(x-h, nu)) / (2 * h)
		near(t, "TRatio", TRatio(x, nu), ratio, math.Abs(ratio)*(1+x*x)*(1+x*x)+1e-8*math.Abs(TLogCDF(x, nu)/h), 1e-6)
		h = 1e-3 * nu
		slope := (TLogCDF(x, nu+h) - TLogCDF(x, nu-h)) / (2 * h)
		growth := nu * TLogCDFDNu(-math.Abs(x), nu) // of the tail, which the third derivative is made of
		near(t, "TLogCDFDNu", TLogCDFDNu(x, nu), slope,
			math.Abs(slope)*(1+growth*growth)+1e-10*math.Abs(TLogCDF(x, nu)/h), 1e-5)
		r := TRatio(x, nu)
		h = 1e-4 * math.Abs(x)
		second := (TRatio(x+h, nu) - TRatio(x-h, nu)) / (2 * h)
		formula := -r * (r + (nu+1)*x/(nu+x*x))
		near(t, "dTRatio/dx", formula, second, r*(1+math.Abs(x*x*x))+1e-9*r/h, 1e-5)
	})
}

// The quantile of F(x) is x, up to what the rounding of F leaves of x.
func TestStudentQuantileInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, nu := drawStudent(t)
		if l := TLogCDF(x, nu); l > -700 {
			r := TRatio(x, nu)
			loss := 10*(1+1/nu)*math.Abs(x) + 8/r
			if eps/r > 1e-4*math.Abs(x) {
				return // F crowds at 1
			}
			near(t, "TQuantile", TQuantile(TCDF(x, nu), nu), x, loss, eps)
			near(t, "TQuantileLog", TQuantileLog(l, nu), x, loss-8*l/r, eps)
		}
	})
}

// By both ways to the quantile's derivative in nu, and by differences.
func TestStudentQuantileSlope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, nu := rapid.Float64Range(1e-6, 0.49).Draw(t, "u"), drawLog(t, "nu", 0.5, 1e3)
		h := 1e-3 * nu
		slope := (TQuantile(u, nu+h) - TQuantile(u, nu-h)) / (2 * h)
		near(t, "TQuantileDNu", TQuantileDNu(u, nu), slope, slope+1e-8, 1e-3)
		near(t, "on the right", TQuantileDNu(1-u, nu), -TQuantileDNu(u, nu), slope, 1e-9)
	})
}
