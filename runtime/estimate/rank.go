package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
)

// How good is a surrogate? Near an optimum z* a step of surrogate natural gradient descent is z - e v(z), with v the covector df in the metric
// G of the surrogate. Its derivative dv/dz is there G^-1 H, with H the Hessian of the loss: the eigenvalues, which are real and do not
// depend on coordinates, say how fast the loop is. All are 1 where the surrogate's metric is the Hessian, as it is of a family by itself, and
// a step of length 1 is Newton's. With the Fisher information of the target in the place of H they are what they would be of much data.

// RankSettings say how to look at a surrogate. The zero value is a good default.
type RankSettings struct {
	Seed       uint64 `json:"seed,omitempty"`
	Components int    `json:"components,omitempty"` // of a mixture
	// Accuracy is the distance of the loss from that of the optimum at which a run counts as done; 0 means 1e-9.
	Accuracy float64 `json:"accuracy,omitempty"`
	// Draws is of how many rows from the target the Fisher information is made; 0 means 20,000.
	Draws int `json:"draws,omitempty"`
}

// Ranked says how a surrogate does on the data of a model.
type Ranked struct {
	Problem     string `json:"problem"`
	Target      string `json:"target"`
	Surrogate   string `json:"surrogate"`
	Coordinates string `json:"coordinates"` // "mean" or "natural"
	Loss        Number `json:"loss"`        // at the optimum
	// Ways are surrogate natural gradients and, where they can be had, those of the target and ordinary gradients in unconstrained coordinates.
	Ways  []Way    `json:"ways"`
	Notes []string `json:"notes,omitempty"`
}

// Way is a metric to take gradients in.
type Way struct {
	Name string `json:"name"` // "surrogate", "target" or "gradient"
	// Hessian are the eigenvalues of the Hessian in the metric at the optimum, in ascending order, and Fisher those of the Fisher information of
	// the target; null where that is not known. Directions that do not change the target are left out.
	Hessian []Number `json:"hessian"`
	Fisher  []Number `json:"fisher"`
	// Path has the least and the largest eigenvalue of dv/dz along the run of sngd.
	Path []PathSpectrum `json:"path,omitempty"`
	// Condition is the largest eigenvalue over the least.
	Condition Number `json:"condition"`
	// Full is the factor by which a step of length 1 multiplies what is left, at worst: below 1 it converges. Best is that of the best constant
	// step.
	Full        Number  `json:"full_step"`
	Best        Number  `json:"best_step"`
	Nanoseconds float64 `json:"nanoseconds"` // of one evaluation of the gradients
	Runs        []Pace  `json:"runs"`
}

// PathSpectrum is what the spectrum is at a point of a run.
type PathSpectrum struct {
	Iteration int    `json:"iteration"`
	Excess    Number `json:"excess"` // of the loss over the optimum
	Least     Number `json:"least"`
	Largest   Number `json:"largest"`
}

// Pace compares what the spectrum at the optimum predicts of a method with a run of it from the first start.
type Pace struct {
	Method string `json:"method"`
	// Predicted is how many iterations the method takes on a quadratic function of the same spectrum, from the loss of the start: of sngd by
	// steepest descent, every direction having the same part in the loss, of nlbfgs by the bound of conjugate gradients. Observed is how many
	// the run took to the same accuracy, -1 if it never came there.
	Predicted int `json:"predicted_iterations"`
	Observed  int `json:"observed_iterations"`
	// PredictedRate and ObservedRate are factors by which the excess of the loss fell with an iteration, over the second half of the digits.
	PredictedRate Number `json:"predicted_rate"`
	ObservedRate  Number `json:"observed_rate"`
	// Model and Run are the excess of the loss that is predicted and that of the run, iteration by iteration, the first 500.
	Model       []Number `json:"model"`
	Run         []Number `json:"run"`
	Evaluations int      `json:"evaluations"` // of the run
	Seconds     float64  `json:"seconds"`     // of these, at the time of one evaluation
}

const (
	rankAccuracy = 1e-9
	rankDraws    = 20_000
	// mostRanked bounds the side of the matrix of which all eigenvalues are taken.
	mostRanked = 600
	// flatCurvature is one, relative to the largest, that counts as 0: along fibres of a map that has more coordinates than parameters.
	flatCurvature = 1e-7
	// mostPaced bounds the iterations that are predicted, and those that are run.
	mostPaced       = 100_000
	mostShownExcess = 500
	// pathPoints is at how many points of a run the spectrum is taken.
	pathPoints = 6
)

// Rank says how good the surrogate of m is at the data that m holds. It fits m first; the error is that of the fit, or says that the matrix
// of second derivatives would be too large.
func Rank(ctx context.Context, m runtime.Model, s *RankSettings) (*Ranked, error) {
	r := &ranker{m: m}
	if s != nil {
		r.s = *s
	}
	if r.s.Accuracy == 0 {
		r.s.Accuracy = rankAccuracy
	}
	if r.s.Draws == 0 {
		r.s.Draws = rankDraws
	}
	if _, ok := m.(runtime.Variational); ok {
		return nil, errors.New("surrogates are ranked by likelihoods: of a posterior the bound says which approximation is better")
	}
	if n := len(movesOf(m)); n > mostRanked {
		return nil, fmt.Errorf("%s has %d coordinates: spectra are for at most %d", m.Info().Name, n, mostRanked)
	}
	rep, err := Fit(ctx, m, &Settings{Seed: r.s.Seed, Components: r.s.Components, Method: "nlbfgs"})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Info().Name, err)
	}
	return r.rank(ctx, rep)
}

// ranker looks at one model.
type ranker struct {
	m   runtime.Model
	s   RankSettings
	out *Ranked
}

func (r *ranker) rank(ctx context.Context, rep *Report) (*Ranked, error) {
	info := r.m.Info()
	r.out = &Ranked{Problem: info.Name, Target: info.Target, Surrogate: info.Surrogate, Coordinates: info.Coordinates, Loss: rep.Loss}
	z, start := make([]float64, dimension(r.m)), make([]float64, dimension(r.m))
	for i, x := range rep.Coordinates {
		z[i] = float64(x)
	}
	if err := r.begin(start); err != nil {
		return nil, err
	}
	if err := r.way(ctx, "surrogate", r.m, z, start); err != nil {
		return nil, err
	}
	if err := r.others(ctx, z, start); err != nil {
		return nil, err
	}
	if err := r.drawn(ctx, rep); err != nil {
		r.out.Notes = append(r.out.Notes, "no spectrum of the Fisher information: "+err.Error())
	}
	return r.out, ctx.Err()
}

// begin writes the first start that works.
func (r *ranker) begin(z []float64) (err error) {
	starts := r.m.Info().Starts
	if r.m.Info().RandomStart {
		starts += 10
	}
	err = errors.New("no start works on these data")
	for i := range starts {
		if err = r.m.Start(z, i, runtime.Stream(r.s.Seed, "start", uint64(i))); err == nil && !math.IsNaN(r.m.Loss(z)) {
			return nil
		}
	}
	return err
}

// others adds the metrics of the target and of unconstrained coordinates.
func (r *ranker) others(ctx context.Context, z, start []float64) error {
	u, err := Coordinates(r.m, baseline.CovarianceCholesky)
	if err != nil {
		r.out.Notes = append(r.out.Notes, "no gradient descent: "+err.Error())
		return nil
	}
	theta, end, from := make([]float64, thetaLen(r.m)), make([]float64, u.Dim()), make([]float64, u.Dim())
	r.m.Theta(theta, z)
	u.FromTheta(end, theta)
	r.m.Theta(theta, start)
	u.FromTheta(from, theta)
	if u.Dim() > mostRanked {
		return nil
	}
	if informed, ok := r.m.(baseline.InformedModel); ok {
		if p, err := baseline.Natural(informed); err == nil {
			r.note(r.way(ctx, "target", p, end, from))
		}
	}
	r.note(r.way(ctx, "gradient", baseline.Euclidean(u), end, from))
	return ctx.Err()
}

// note keeps why a metric that only stands beside those of surrogates is not there.
func (r *ranker) note(err error) {
	if err != nil {
		r.out.Notes = append(r.out.Notes, err.Error())
	}
}

// way looks at one metric, from a start to the optimum.
func (r *ranker) way(ctx context.Context, name string, p runtime.Problem, z, start []float64) error {
	w := Way{Name: name}
	values, err := spectrum(p, z)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", r.m.Info().Name, name, err)
	}
	values = withoutFlat(values)
	if len(values) == 0 || values[0] <= 0 {
		return fmt.Errorf("%s, %s: the loss is not convex at the optimum", r.m.Info().Name, name)
	}
	w.Hessian = numbers(values)
	least, largest := values[0], values[len(values)-1]
	w.Condition = Number(largest / least)
	w.Full = Number(math.Max(math.Abs(1-least), math.Abs(1-largest)))
	w.Best = Number((largest - least) / (largest + least))
	w.Nanoseconds = gradientTime(p, z)
	for _, method := range []runtime.Method{runtime.SNGD{}, runtime.NaturalLBFGS{}} {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.Runs = append(w.Runs, r.pace(ctx, &w, p, method, values, start, p.Loss(z)))
	}
	r.out.Ways = append(r.out.Ways, w)
	return nil
}

// pace compares a run of a method with what its spectrum predicts.
func (r *ranker) pace(ctx context.Context, w *Way, p runtime.Problem, method runtime.Method, values, start []float64, optimum float64) Pace {
	out := Pace{Method: method.String(), Observed: -1}
	excess := p.Loss(start) - optimum
	accuracy := r.s.Accuracy * math.Max(1, math.Abs(optimum))
	fall := conjugate
	if out.Method == (runtime.SNGD{}).String() {
		fall = steepest
	}
	predicted := fall(values, excess, accuracy)
	out.Predicted, out.PredictedRate = len(predicted)-1, Number(rate(predicted, accuracy))
	var observed []float64
	var trace runtime.Trace
	record := runtime.RecorderFunc(func(it *runtime.Iteration) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		observed = append(observed, it.Loss-optimum)
		out.Evaluations = it.Evaluations
		if out.Method == (runtime.SNGD{}).String() && len(trace.Iterations) < mostKept {
			_ = trace.Record(it)
		}
		if it.Loss-optimum <= accuracy {
			out.Observed = it.Index
			return errArrived
		}
		return nil
	})
	_, _ = runtime.Minimize(ctx, p, start, &runtime.Settings{Method: method, MaxIterations: mostPaced, Recorder: record})
	out.ObservedRate = Number(rate(observed, accuracy))
	out.Model, out.Run = numbers(predicted[:min(len(predicted), mostShownExcess)]), numbers(observed[:min(len(observed), mostShownExcess)])
	out.Seconds = float64(out.Evaluations) * w.Nanoseconds * 1e-9
	if len(trace.Iterations) > 0 {
		w.Path = spectraAlong(p, trace.Iterations, optimum)
	}
	return out
}

// mostKept is how many points of a run are kept.
const mostKept = 1000

// errArrived ends a run that is as near to the optimum as is wanted.
var errArrived = errors.New("arrived")

// spectraAlong takes the spectrum at some points of a run.
func spectraAlong(p runtime.Problem, run []runtime.Iteration, optimum float64) (out []PathSpectrum) {
	for k := range pathPoints {
		i := k * (len(run) - 1) / (pathPoints - 1)
		if k > 0 && i == (k-1)*(len(run)-1)/(pathPoints-1) {
			continue
		}
		values, err := spectrum(p, run[i].Z)
		if err != nil {
			continue
		}
		if values = withoutFlat(values); len(values) > 0 {
			out = append(out, PathSpectrum{run[i].Index, Number(run[i].Loss - optimum), Number(values[0]), Number(values[len(values)-1])})
		}
	}
	return out
}

// drawn adds spectra with the Fisher information of the target: those at the estimate on data that are drawn from it.
func (r *ranker) drawn(ctx context.Context, rep *Report) error {
	s, ok := r.m.(runtime.Sampler)
	if !ok {
		return NoDraws(r.m.Info())
	}
	seen, ok := r.m.(runtime.Observed)
	if !ok {
		return errors.New("the model does not show its data")
	}
	data := seen.Observations()
	width := r.m.Info().RowLen(r.m)
	rows := len(data.Values) / width
	x := make([]float64, 0, r.s.Draws*width)
	for i := range r.s.Draws { // with what the rows of the data are given
		x = append(x, data.Values[i%rows*width:(i%rows+1)*width]...)
	}
	order := unordered(rep.Order)
	theta := permuted(r.m, rep.Theta(), order)
	s.Sample(x, theta, runtime.Stream(r.s.Seed, "rank"))
	other := r.m.Clone()
	if err := other.SetData(runtime.Data{Values: x, Columns: width}); err != nil {
		return err
	}
	z := make([]float64, dimension(other))
	if err := rep.Fitted().Point().at(other, z); err != nil {
		return err
	}
	// At the maximum for these data the gradient is 0, and the derivative of the metric does not matter.
	found, err := runtime.Minimize(ctx, other, z, &runtime.Settings{Method: runtime.NaturalLBFGS{}})
	if err != nil {
		return err
	}
	values, err := spectrum(other, found.Z)
	if err != nil {
		return err
	}
	r.out.Ways[0].Fisher = numbers(withoutFlat(values))
	return ctx.Err()
}

// withoutFlat leaves out directions along which nothing changes.
func withoutFlat(values []float64) []float64 {
	top := 0.0
	for _, x := range values {
		top = math.Max(top, math.Abs(x))
	}
	return slices.DeleteFunc(values, func(x float64) bool { return math.Abs(x) <= flatCurvature*top })
}

// spectrum returns the real parts of the eigenvalues of dv/dz in ascending order, by differences.
func spectrum(p runtime.Problem, z []float64) ([]float64, error) {
	moves := movesOf(p)
	n := len(moves)
	j := mat.NewDense(n, n, nil)
	c, up, down := make([]float64, len(z)), make([]float64, len(z)), make([]float64, len(z))
	at := slices.Clone(z)
	shifted := func(v []float64, move []int, by float64) bool {
		for _, i := range move {
			at[i] = z[i] + by
		}
		f := p.Gradients(v, c, at)
		for _, i := range move {
			at[i] = z[i]
		}
		return !math.IsNaN(f) && allNumbers(v)
	}
	for k, move := range moves {
		h, width := 1e-5*math.Max(math.Abs(z[move[0]]), 1e-2), 0.0
		for range 30 { // nearer, at the end of the domain
			if shifted(up, move, h) && shifted(down, move, -h) {
				width = 2 * h
				break
			}
			h /= 4
		}
		if width == 0 {
			return nil, errors.New("the gradient is not defined around it")
		}
		for i, to := range moves {
			j.Set(i, k, (up[to[0]]-down[to[0]])/width)
		}
	}
	var eigen mat.Eigen
	if !eigen.Factorize(j, mat.EigenNone) {
		return nil, errors.New("the eigenvalues were not found")
	}
	var out []float64
	for _, x := range eigen.Values(nil) {
		out = append(out, real(x))
	}
	slices.Sort(out)
	return out, nil
}

// gradientTime is the time of an evaluation of the gradients in nanoseconds: the least of many short measurements, some of which nothing else disturbs on a
// busy machine.
func gradientTime(p runtime.Problem, z []float64) float64 {
	v, c := make([]float64, len(z)), make([]float64, len(z))
	best := math.Inf(1)
	for range 100 {
		calls := 0
		began := time.Now()
		for time.Since(began) < 100*time.Microsecond {
			p.Gradients(v, c, z)
			calls++
		}
		best = math.Min(best, float64(time.Since(began).Nanoseconds())/float64(calls))
	}
	return best
}

// steepest is the excess of the quadratic function sum(value*x^2)/2 over its least value along steepest descent with exact line searches,
// from a point where all directions contribute the same.
func steepest(values []float64, excess, accuracy float64) []float64 {
	n := len(values)
	x := make([]float64, n)
	for i, l := range values {
		x[i] = math.Sqrt(2 * math.Max(excess, 0) / float64(n) / l)
	}
	out := []float64{excess}
	for len(out) <= mostPaced && out[len(out)-1] > accuracy {
		square, curvature := 0.0, 0.0
		for i, l := range values {
			square += l * x[i] * l * x[i]
			curvature += l * l * x[i] * l * x[i]
		}
		if !(curvature > 0) {
			break
		}
		left := 0.0
		for i, l := range values {
			x[i] -= square / curvature * l * x[i]
			left += l * x[i] * x[i] / 2
		}
		out = append(out, left)
	}
	return out
}

// conjugate is the excess that conjugate gradients have at most on such a function, by the polynomials of Chebyshev: that they end after as
// many steps as there are directions is of no use for functions that are not quadratic.
func conjugate(values []float64, excess, accuracy float64) []float64 {
	root := math.Sqrt(values[len(values)-1] / values[0])
	factor := (root - 1) / (root + 1)
	out := []float64{excess}
	for len(out) <= mostPaced && out[len(out)-1] > accuracy {
		out = append(out, out[len(out)-1]*factor*factor)
	}
	return out
}

// rate is the factor by which an excess falls with an iteration, over the second half of the digits; NaN of less than two iterations.
func rate(excess []float64, accuracy float64) float64 {
	if len(excess) < 2 {
		return math.NaN()
	}
	half := math.Sqrt(math.Max(excess[0], accuracy) * accuracy)
	from := 0
	for from < len(excess)-2 && excess[from] > half {
		from++
	}
	last := len(excess) - 1
	return math.Exp((math.Log(math.Max(excess[last], accuracy/1e3)) - math.Log(math.Max(excess[from], accuracy/1e3))) / float64(last-from))
}
