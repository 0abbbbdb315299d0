package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/baseline/general"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/runtime/workers"
)

// BenchRequest says what to time.
type BenchRequest struct {
	Methods []string         `json:"methods"` // of whole fits
	Time    time.Duration    `json:"time"`    // to spend on each row of the table, about
	Draw    int              `json:"draw"`    // rows to draw from the target, when there are no data
	Set     []estimate.Value `json:"set"`     // dimensions and parameters to draw with
	// Components is the number of components of a mixture; 0 leaves it to Set or to the model.
	Components int `json:"components,omitempty"`
	// Workers share passes over many rows; 0 is 1.
	Workers int `json:"workers,omitempty"`
}

// components returns the number of components to set: none where data were drawn, for which it has been.
func (r *BenchRequest) components(m runtime.Model) int {
	if mix, ok := m.(runtime.Mixture); ok && r.Draw > 0 {
		return mix.Components()
	}
	return r.Components
}

// BenchReport holds times.
type BenchReport struct {
	Info     *runtime.Info `json:"info"`
	Rows     int           `json:"rows"`
	Distinct int           `json:"distinct"`
	Calls    []CallTime    `json:"calls"`
	Fits     []FitTime     `json:"fits"`
}

// CallTime is the time of one call of a method of the problem.
type CallTime struct {
	Name        string  `json:"name"`
	Nanoseconds float64 `json:"nanoseconds"`
	Allocations float64 `json:"allocations"`
}

// FitTime is the time of a whole fit from the first start, without what a report adds to it.
type FitTime struct {
	Method      string          `json:"method"`
	Seconds     float64         `json:"seconds"`
	Iterations  int             `json:"iterations"`
	Evaluations int             `json:"evaluations"`
	Loss        estimate.Number `json:"loss"`
	Status      runtime.Status  `json:"status"`
	Error       string          `json:"error,omitempty"`
}

// samples is how many times each measurement is repeated; the median counts, since other programs share the machine.
const samples = 7

// bench times a model that has its data.
func bench(ctx context.Context, m runtime.Model, r BenchRequest) (*BenchReport, error) {
	pool := workers.New(max(r.Workers, 1))
	defer pool.Stop()
	if p, ok := m.(runtime.Parallel); ok {
		p.SetWorkers(pool)
	}
	rows, distinct, _ := m.Counts()
	b := &BenchReport{Info: m.Info(), Rows: rows, Distinct: distinct}
	z, err := firstStart(m)
	if err != nil {
		return nil, err
	}
	v, c := make([]float64, len(z)), make([]float64, len(z))
	for _, call := range []struct {
		name string
		f    func()
	}{
		{"NaturalGradient", func() { m.NaturalGradient(v, z) }},
		{"Gradients", func() { m.Gradients(v, c, z) }},
		{"Loss", func() { m.Loss(z) }},
	} {
		b.Calls = append(b.Calls, CallTime{call.name, nanoseconds(ctx, call.f, r.Time), allocations(call.f)})
	}
	if _, ok := m.(runtime.Variational); ok {
		return b, ctx.Err() // methods to compare search along lines, for which the loss must not be random
	}
	for _, method := range r.Methods {
		b.Fits = append(b.Fits, timeFit(ctx, m, method, z, r.Time))
	}
	return b, ctx.Err()
}

// drawnNumbers are the numbers above 0 among vectors and matrices, such as degrees of freedom: 5, at which a target has its
// first moments.
func drawnNumbers(info *runtime.Info) []estimate.Value {
	var out []estimate.Value
	for i := range info.Parameters {
		if p := &info.Parameters[i]; p.Shape == nil && p.Type.Entry == types.Positive {
			out = append(out, estimate.Value{Name: p.Name, Value: 5})
		}
	}
	return out
}

// drawnLength is the length of dimensions of drawn data that the request leaves out.
const drawnLength = 10

// draw returns rows of the target. Numbers that are left out are at a point of no importance, where every unconstrained
// coordinate is 1: positive parameters are 2.7, and those between 0 and 1 are 0.73; see drawnNumbers where there are vectors
// and matrices.
func draw(m runtime.Model, r *BenchRequest) (runtime.Data, error) {
	if _, ok := m.(runtime.Variational); ok {
		return makeUp(m.Info(), r, outsideOf(m, r))
	}
	if _, ok := m.(runtime.Sampler); !ok {
		return runtime.Data{}, fmt.Errorf("%w, or give a file with --data", estimate.NoDraws(m.Info()))
	}
	set := slices.Clone(r.Set)
	if m.Unconstrained() == nil {
		set = slices.Insert(set, 0, drawnNumbers(m.Info())...)
	}
	if u := m.Unconstrained(); u != nil {
		theta, x := make([]float64, len(m.Info().Parameters)), make([]float64, u.Dim())
		for i := range x {
			x[i] = 1
		}
		u.Theta(theta, x)
		for i, p := range slices.Backward(m.Info().Parameters) {
			set = slices.Insert(set, 0, estimate.Value{Name: p.Name, Value: theta[i]})
		}
	}
	draws, err := estimate.Sample(m, estimate.SampleRequest{Rows: r.Draw, Seed: 1, Set: set, Fallback: drawnLength,
		Components: r.Components, Spread: true})
	if err != nil {
		return runtime.Data{}, err
	}
	return runtime.Data{Values: draws.Values, Columns: len(draws.Columns)}, nil
}

// mostMadeUp is how many numbers are made up at most: 1 GiB of them.
const mostMadeUp = 1 << 27

// makeUp returns data of the types that a variational objective takes, whose distribution is of no importance for times:
// real numbers are standard normal, positive ones and counts have a mean of 1, others are uniform. There are lengths of the
// dimensions in Set.
func makeUp(info *runtime.Info, r *BenchRequest, outside func(row []float64) bool) (runtime.Data, error) {
	lengths := map[string]int{}
	for _, v := range r.Set {
		n := int(v.Value)
		if v.Shape != nil || float64(n) != v.Value || n < 1 || !isLength(info, v.Name) {
			return runtime.Data{}, fmt.Errorf("%s cannot be set: the data of %s are made up, with lengths such as d=10 of their dimensions",
				v.Name, info.Name)
		}
		lengths[v.Name] = n
	}
	width := func(i int) int {
		n := 1.0
		for _, d := range info.Data[i].Shape {
			n *= float64(cmp.Or(d.Size, lengths[d.Name], drawnLength))
		}
		return int(min(n, mostMadeUp+1))
	}
	total := 0.0
	for i := range info.Data {
		total += float64(width(i)) * float64(r.Draw)
	}
	if total > mostMadeUp {
		return runtime.Data{}, fmt.Errorf("%d rows of these lengths are more than there is memory for: at most %d numbers are made up",
			r.Draw, mostMadeUp)
	}
	var columns []func(*rand.Rand) float64
	for i, p := range info.Data {
		one := p.Type.Entry.Random
		if p.Type.Entry.Numbers {
			one = func(rng *rand.Rand) float64 {
				return float64(1 + rng.IntN(p.Beyond+cmp.Or(p.Of.Size, lengths[p.Of.Name], drawnLength)))
			}
		}
		columns = append(columns, slices.Repeat([]func(*rand.Rand) float64{one}, width(i))...)
	}
	out := runtime.Data{Columns: len(columns)}
	rng := runtime.Stream(1, "bench")
	row := make([]float64, len(columns))
	for range r.Draw {
		for try := 0; try == 0 || outside(row) && try < mostTries; try++ {
			for i, one := range columns {
				row[i] = one(rng)
			}
		}
		out.Values = append(out.Values, row...)
	}
	return out, nil
}

// mostTries is how often a row is made up that lies outside of the support.
const mostTries = 1000

// outsideOf reports whether a row lies outside the support of a model, with the lengths of a request.
func outsideOf(m runtime.Model, r *BenchRequest) func(row []float64) bool {
	sizes := make([]int, len(m.Info().Dims))
	for i, name := range m.Info().Dims {
		sizes[i] = drawnLength
		for _, v := range r.Set {
			if v.Name == name {
				sizes[i] = int(v.Value)
			}
		}
	}
	s, ok := m.Clone().(runtime.Supported)
	if !ok || len(m.Info().Support) == 0 || len(sizes) > 0 && s.Resize(sizes) != nil {
		return func([]float64) bool { return false }
	}
	return func(row []float64) bool { return s.Outside(row) >= 0 }
}

// isLength reports whether a name is that of a dimension of the data.
func isLength(info *runtime.Info, name string) bool {
	return slices.ContainsFunc(info.Data, func(p runtime.Parameter) bool {
		return p.Of.Name == name || slices.ContainsFunc(p.Shape, func(d runtime.Dim) bool { return d.Name == name })
	})
}

// firstStart returns the first start that works.
func firstStart(m runtime.Model) ([]float64, error) {
	blocks := m.Blocks()
	last := blocks[len(blocks)-1]
	z := make([]float64, last.Offset+last.Len)
	rng := rand.New(rand.NewPCG(1, 1))
	starts := m.Info().Starts
	if m.Info().RandomStart {
		starts += 10
	}
	errs := []error{errors.New("no start works on these data")}
	for i := range starts {
		err := m.Start(z, i, rng)
		if err == nil && m.Violation(z) < 0 {
			return z, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// longest is how long one measurement takes at most, about: between them a benchmark can be interrupted.
const longest = 100 * time.Millisecond

// nanoseconds returns the time of a call: the median over samples of many calls each.
func nanoseconds(ctx context.Context, f func(), total time.Duration) float64 {
	each := min(total/samples, longest)
	calls := 1
	for clock(f, calls) < each && calls < 1<<30 && ctx.Err() == nil {
		calls *= 2
	}
	var times []float64
	for begin := time.Now(); len(times) < samples || time.Since(begin) < total && each == longest; {
		times = append(times, float64(clock(f, calls).Nanoseconds())/float64(calls))
		if ctx.Err() != nil {
			break
		}
	}
	return median(times)
}

func clock(f func(), calls int) time.Duration {
	start := time.Now()
	for range calls {
		f()
	}
	return time.Since(start)
}

// allocations returns the number of allocations of a call, as testing.AllocsPerRun does it.
func allocations(f func()) float64 {
	const calls = 100
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	f()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	clock(f, calls)
	goruntime.ReadMemStats(&after)
	return float64((after.Mallocs - before.Mallocs) / calls)
}

// timeFit fits again and again from the same start.
func timeFit(ctx context.Context, m runtime.Model, method string, z []float64, total time.Duration) FitTime {
	t := FitTime{Method: method}
	var times []float64
	for begin := time.Now(); len(times) < samples || time.Since(begin) < total; {
		start := time.Now()
		res, err := minimize(ctx, m, method, z)
		times = append(times, time.Since(start).Seconds())
		if err != nil {
			t.Error = err.Error()
		}
		if res == nil || ctx.Err() != nil {
			return t
		}
		t.Iterations, t.Evaluations = res.Iterations, res.LossEvaluations+res.GradientEvaluations
		t.Loss, t.Status = estimate.Number(res.Loss), res.Status
	}
	t.Seconds = median(times)
	return t
}

// minimize runs a method from z: those of package runtime on the surrogate, the others in unconstrained coordinates.
func minimize(ctx context.Context, m runtime.Model, method string, z []float64) (*runtime.Result, error) {
	switch method {
	case "sngd":
		return runtime.Minimize(ctx, m, z, &runtime.Settings{Method: runtime.SNGD{}})
	case "nlbfgs":
		return runtime.Minimize(ctx, m, z, &runtime.Settings{Method: runtime.NaturalLBFGS{}})
	}
	u, err := estimate.Coordinates(m, baseline.CovarianceCholesky)
	if err != nil {
		return nil, err
	}
	theta, x := make([]float64, thetaLen(m)), make([]float64, u.Dim())
	m.Theta(theta, z)
	u.FromTheta(x, theta)
	return general.Run(ctx, u, x, method, nil)
}

func thetaLen(m runtime.Model) int {
	n := 0
	for i := range m.Info().Parameters {
		n += m.Info().Parameters[i].Len(m)
	}
	return n
}

func median(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
