package fit

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/runtime"
)

// report fills in what follows from the best run.
func report(m runtime.Model, r *Request, best *attempt, warnings []string) *Report {
	info, res := m.Info(), best.res
	rows, distinct, n := m.Counts()
	k := float64(len(info.Parameters))
	ll := -n * res.Loss
	rep := &Report{
		Problem: info.Name, Target: info.Target, Surrogate: info.Surrogate,
		Method: r.Method, LineSearch: r.LineSearch,
		Status: res.Status, Converged: res.Status.Converged(), Message: res.Message,
		N: n, Rows: rows, Distinct: distinct,
		Start: best.start, Iterations: res.Iterations, Evaluations: res.LossEvaluations + res.GradientEvaluations,
		Loss: Number(res.Loss), LogLikelihood: Number(ll),
		AIC: Number(2*k - 2*ll), BIC: Number(k*math.Log(n) - 2*ll),
		Parameters: values(info, best.theta),
		Level:      r.Level,
		Seed:       r.Seed, Warnings: warnings,
	}
	if best.err != nil {
		rep.Message = best.err.Error()
	}
	u := m.Unconstrained()
	x, sd, why := uncertainty(u, best.theta, n)
	if why != "" {
		rep.Warnings = append(rep.Warnings, "no standard errors: "+why)
		return rep
	}
	rep.StandardErrors = standardErrors(info, best.theta, sd)
	if r.Level > 0 {
		rep.Intervals = intervals(info, u, x, sd, r.Level)
	}
	return rep
}

func values(info *runtime.Info, x []float64) Values {
	vs := make(Values, len(x))
	for i, p := range info.Parameters {
		vs[i] = Value{p.Name, x[i]}
	}
	return vs
}

// uncertainty returns the unconstrained coordinates of theta and their standard deviations by the inverse of the
// observed information, n times the Hessian of the mean negative log-likelihood; or why there are none.
func uncertainty(u runtime.Unconstrained, theta []float64, n float64) (x, sd []float64, why string) {
	d := u.Dim()
	if d != len(theta) {
		return nil, nil, "the parameters are not all free"
	}
	x = make([]float64, d)
	u.FromTheta(x, theta)
	h := make([]float64, d*d)
	u.Hessian(h, x)
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			sym.SetSym(i, j, n*(h[i*d+j]+h[j*d+i])/2)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(sym) {
		return nil, nil, "the observed information is not positive definite"
	}
	var inv mat.SymDense
	if err := chol.InverseTo(&inv); err != nil {
		return nil, nil, "the observed information is singular"
	}
	sd = make([]float64, d)
	for i := range sd {
		sd[i] = math.Sqrt(inv.At(i, i))
	}
	return x, sd, ""
}

// standardErrors is the delta method: the derivative of a parameter with respect to its unconstrained coordinate is 1
// for real ones, theta for positive ones (log) and theta(1-theta) for those in (0, 1) (logit).
func standardErrors(info *runtime.Info, theta, sd []float64) Values {
	vs := make(Values, len(theta))
	for i, p := range info.Parameters {
		slope := 1.0
		switch p.Type {
		case "positive":
			slope = theta[i]
		case "unit":
			slope = theta[i] * (1 - theta[i])
		}
		vs[i] = Value{p.Name, slope * sd[i]}
	}
	return vs
}

func intervals(info *runtime.Info, u runtime.Unconstrained, x, sd []float64, level float64) Intervals {
	q := distuv.UnitNormal.Quantile((1 + level) / 2)
	low, high := make([]float64, len(x)), make([]float64, len(x))
	at := make([]float64, len(x))
	for i := range x {
		at[i] = x[i] - q*sd[i]
	}
	u.Theta(low, at)
	for i := range x {
		at[i] = x[i] + q*sd[i]
	}
	u.Theta(high, at)
	is := make(Intervals, len(x))
	for i, p := range info.Parameters {
		is[i] = Interval{p.Name, low[i], high[i]}
	}
	return is
}
