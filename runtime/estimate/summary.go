package estimate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/penalty"
)

// edgeOfMap begins the message about an estimate that the map does not reach.
const edgeOfMap = "the estimate lies at the edge of what the map reaches: the likelihood still rises beyond it, in "

// report fills in what follows from the best run, which has been judged.
func report(m runtime.Model, r *Settings, best *attempt, warnings []string) *Report {
	info, res := m.Info(), best.res
	r = best.own(r)
	rows, distinct, n := m.Counts()
	free := freeParameters(m)
	k := float64(free)
	theta := permuted(m, best.theta, best.order)
	subtracted := penalty.Value(m, theta)
	ll := -n*res.Loss + subtracted
	rep := &Report{
		Problem: info.Name, Target: info.Target, Surrogate: info.Surrogate,
		Method: r.Method, LineSearch: r.LineSearch,
		Status: best.status, Converged: best.status.Converged(), Message: best.message,
		Dimensions: dimensions(m),
		N:          n, Rows: rows, Distinct: distinct,
		Start: best.start, Iterations: res.Iterations, Evaluations: res.LossEvaluations + res.GradientEvaluations,
		Loss: Number(-ll / n), LogLikelihood: Number(ll), Penalised: r.Penalty, Penalty: Number(subtracted),
		Free: free,
		AIC:  Number(2*k - 2*ll), BIC: Number(k*math.Log(n) - 2*ll),
		Estimate: values(m, theta),
		Level:    r.Level,
		Seed:     r.Seed, Warnings: warnings,
	}
	if r.stochastic() {
		rep.Course = r.course(rows, res)
	}
	if !r.unconstrained() {
		rep.Coordinates = numbers(res.Z)
	}
	rep.Reported = quantities(m, theta)
	rep.describe(m, r, best, theta)
	rep.FinerLogLikelihood = Number(-n * float64(best.finer))
	if best.finer != 0 {
		rep.FinerLogLikelihood += Number(subtracted)
	}
	unsound := rep.Status == runtime.AtInfinity || rep.Status == runtime.Collapsed || rep.Status == runtime.Unresolved
	if unsound || rep.Penalised || rep.Status == runtime.Failed || rep.Status == runtime.SaddlePoint {
		// There is no maximum of the likelihood, and so nothing that numbers of parameters could be compared by.
		rep.AIC, rep.BIC, rep.ICL = Number(math.NaN()), Number(math.NaN()), 0
	}
	if unsound {
		return rep
	}
	rep.infer(m, best, theta)
	return rep
}

// values cuts theta into parameters.
func values(m runtime.Model, theta []float64) Values {
	info := m.Info()
	vs := make(Values, len(info.Parameters))
	for i := range info.Parameters {
		p := &info.Parameters[i]
		var x []float64
		x, theta = theta[:p.Len(m)], theta[p.Len(m):]
		if vs[i] = (Value{Name: p.Name, Shape: shape(m, p)}); p.Shape == nil {
			vs[i].Value = x[0]
		} else {
			vs[i].Entries = slices.Clone(x)
		}
	}
	return vs
}

// shape returns the lengths of a parameter in each direction.
func shape(m runtime.Model, p *runtime.Parameter) []int {
	var out []int
	for _, d := range p.Shape {
		out = append(out, d.Len(m))
	}
	return out
}

// thetaLen returns the number of entries of all parameters.
func thetaLen(m runtime.Model) int {
	n := 0
	for i := range m.Info().Parameters {
		n += m.Info().Parameters[i].Len(m)
	}
	return n
}

// freeParameters counts the numbers that are estimated: the entries of parameters less those that others determine.
func freeParameters(m runtime.Model) int {
	n := 0
	for i := range m.Info().Parameters {
		p := &m.Info().Parameters[i]
		if p.Known {
			continue
		}
		one, count, each := parts(m, p)
		n += count * freeEntries(m, &one, each)
	}
	return n
}

// freeEntries counts them of a parameter with so many entries.
func freeEntries(m runtime.Model, p *runtime.Parameter, all int) int {
	return p.Type.Form.Free(all, p.Side(m))
}

// dimensions returns the lengths of the dimensions of a model.
func dimensions(m runtime.Model) Sizes {
	var out Sizes
	for i, name := range m.Info().Dims {
		out = append(out, Size{name, m.Sizes()[i]})
	}
	return out
}

// information is the observed information at x: n times the Hessian of the mean negative log-likelihood.
func information(u runtime.Unconstrained, x []float64, n float64) *mat.SymDense {
	d := len(x)
	h := make([]float64, d*d)
	hessian(h, u, x)
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			sym.SetSym(i, j, n*(h[i*d+j]+h[j*d+i])/2)
		}
	}
	return sym
}

// differences writes second derivatives by central differences of the gradient.
func differences(h []float64, u runtime.Unconstrained, x []float64) {
	d := len(x)
	at := slices.Clone(x)
	up, down := make([]float64, d), make([]float64, d)
	for i := range d {
		step := 1e-5 * (1 + math.Abs(x[i]))
		at[i] = x[i] + step
		u.Gradient(up, at)
		at[i] = x[i] - step
		u.Gradient(down, at)
		at[i] = x[i]
		for j := range d {
			h[i*d+j] = (up[j] - down[j]) / (2 * step)
		}
	}
}

// free lists the parameters that are estimated: the unconstrained coordinates belong to them, in order.
func free(info *runtime.Info) []int {
	var out []int
	for i, p := range info.Parameters {
		if !p.Known {
			out = append(out, i)
		}
	}
	return out
}

// quantile returns how many standard errors a symmetric interval of this level reaches to either side.
func quantile(level float64) float64 { return distuv.UnitNormal.Quantile((1 + level) / 2) }
