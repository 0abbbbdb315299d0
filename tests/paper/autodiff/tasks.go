package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/minibatch"
	"github.com/sngdgen/sngdgen/tests/paper/internal/posteriors"
)

// task is a row of the table.
type task struct {
	name         string // of the objective in the script
	title, sizes string
	steps        int
	step, rate   float64 // of the surrogate's coordinates, and of Adam for the auxiliary parameters
	otherDraws   bool    // of the script, so that losses are others
	make         func(covertype string) (*experiment, error)
}

// tasks are the paper's.
var tasks = []task{
	{"skewnormal", "skew-normal", "d = 43, batch of 256", 200, 0.05, 0.01, false, likelihood("skewnormal", 43, 5000, 256, 200)},
	{"skewnormal", "skew-normal", "d = 1000, batch of 100", 5, 0.05, 0.01, false, likelihood("skewnormal", 1000, 2000, 100, 5)},
	{"skewt", "skew-t", "d = 43, batch of 256", 100, 0.05, 0.01, false, likelihood("skewt", 43, 5000, 256, 100)},
	{"tcopula", "t copula", "d = 93, batch of 100", 20, 0.05, 0.01, false, likelihood("tcopula", 93, 1000, 100, 20)},
	{"posteriorskew", "posterior, skew-normal", "d = 53, 500 rows, 20 draws", 100, 0.05, 0.01, false, posterior("posteriorskew", 0, 100, standIn)},
	{"posteriorskewt", "posterior, skew-t", "d = 53, 500 rows, 20 draws", 100, 0.05, 0.01, false, posterior("posteriorskewt", 0, 100, standIn)},
	{"posteriorskewt_sampler", "posterior, skew-t, JAX's own gamma sampler", "d = 53, 500 rows, 20 draws", 100, 0.05, 0.01, true,
		posterior("posteriorskewt", 0, 100, standIn)},
	{"logisticskewmix", "posterior, three skew-normals", "d = 53, 500 rows, 60 draws", 50, 0.01, 0.01, false, posterior("logisticskewmix", 3, 50, standIn)},
	{"posteriorskew", "posterior, skew-normal", "500 rows of forest cover types, 20 draws", 100, 0.05, 0.01, false, posterior("posteriorskew", 0, 100, covertype)},
	{"posteriorskewt", "posterior, skew-t", "500 rows of forest cover types, 20 draws", 100, 0.05, 0.01, false, posterior("posteriorskewt", 0, 100, covertype)},
	{"logisticskewmix", "posterior, three skew-normals", "500 rows of forest cover types, 60 draws", 50, 0.01, 0.01, false,
		posterior("logisticskewmix", 3, 50, covertype)},
}

// experiment is a task with its data and its model.
type experiment struct {
	*task
	model     runtime.Model
	start     []float64
	arrays    map[string]array
	auxiliary map[string][]int // the shapes of the auxiliary parameters
	turn      func(k int) error
}

// array is what the script reads.
type array struct {
	values []float64
	shape  []int
}

// judging is the turn for the loss at the end: all rows, or the first draws.
const judging = -1

// prepare makes the experiment, with a file of forest cover types, nil where it needs one that there is not.
func (t *task) prepare(covertype string) (*experiment, error) {
	e, err := t.make(covertype)
	if e == nil || err != nil {
		return nil, err
	}
	e.task = t
	e.split()
	e.uncentre()
	return e, nil
}

// split writes the coordinates at the start as arrays: of the surrogate z0, z1 and so on, of the auxiliary parameters by their names.
func (e *experiment) split() {
	e.auxiliary = map[string][]int{}
	n := 0
	for _, b := range e.model.Blocks() {
		copies, length := b.Parts()
		shape := []int{} // not nil, which is null in JSON
		if b.Copies > 0 {
			shape = append(shape, copies)
		}
		switch root := int(math.Round(math.Sqrt(float64(length)))); {
		case b.Symmetric:
			shape = append(shape, root, root)
		case length > 1:
			shape = append(shape, length)
		}
		values := e.start[b.Offset : b.Offset+b.Len]
		if b.Auxiliary {
			e.auxiliary[b.Name] = shape
			e.arrays[b.Name] = array{values, shape}
			continue
		}
		if len(shape) == 0 {
			shape = []int{length}
		}
		e.arrays[fmt.Sprint("z", n)] = array{values, shape}
		n++
	}
}

// uncentre writes the mean parameters mu and Sigma + mu mu' of a normal surrogate, as generated code has those of observations less their
// mean, which the same steps lead through. The map of these targets is the identity.
func (e *experiment) uncentre() {
	mean, ok := e.arrays["z0"]
	second, also := e.arrays["z1"]
	if _, centred := e.arrays["rows"]; !ok || !also || !centred {
		return
	}
	theta := make([]float64, grid.LengthOfTheta(e.model))
	e.model.Theta(theta, e.start)
	d := len(mean.values)
	mean.values, second.values = theta[:d], slices.Clone(theta[d:d+d*d])
	for i := range d {
		for j := range d {
			second.values[i*d+j] += theta[i] * theta[j]
		}
	}
	e.arrays["z0"], e.arrays["z1"] = mean, second
}

// likelihood is maximum likelihood over minibatches of drawn data, from a little inside of the start of the paper.
func likelihood(name string, d, n, batch, steps int) func(string) (*experiment, error) {
	return func(string) (*experiment, error) { return likelihoodOf(name, d, n, batch, steps) }
}

func likelihoodOf(name string, d, n, batch, steps int) (*experiment, error) {
	t := minibatch.Tasks[slices.IndexFunc(minibatch.Tasks, func(t minibatch.Task) bool { return t.Name == name })]
	model, _ := minibatch.Models(name)
	data, err := minibatch.Prepare(t, minibatch.Config{D: d, N: n, Held: 10, Batch: batch}, model, 1)
	if err != nil {
		return nil, err
	}
	m := data.Model
	if err := m.SetData(runtime.Data{Values: data.Rows()[:n*d], Columns: d}); err != nil {
		return nil, err
	}
	z := make([]float64, grid.Dimension(m))
	if err := m.Start(z, m.Info().Starts, runtime.Stream(1, "start")); err != nil {
		return nil, err
	}
	rng, batches := runtime.Stream(1, "batches"), make([][]int, steps)
	indices := make([]float64, 0, steps*batch)
	for k := range batches {
		for range batch {
			batches[k] = append(batches[k], rng.IntN(n))
			indices = append(indices, float64(batches[k][len(batches[k])-1]))
		}
	}
	return &experiment{model: m, start: z,
		arrays: map[string]array{"rows": {data.Rows()[:n*d], []int{n, d}}, "batches": {indices, []int{steps, batch}}},
		turn: func(k int) error {
			if k == judging {
				return m.Batch(nil)
			}
			return m.Batch(batches[k])
		}}, nil
}

// Sizes of posteriors.
const (
	posteriorColumns = 53
	posteriorRows    = 500
	posteriorDraws   = 20 // of each component
	posteriorBefore  = 300
)

// standIn is the paper's kind of drawn data.
func standIn(string) (runtime.Data, error) {
	return posteriors.StandIn(posteriorRows, posteriorColumns, runtime.Stream(1, "data")), nil
}

// covertype are rows of the file, mostly columns of indicators; none where there is no file.
func covertype(file string) (runtime.Data, error) {
	if file == "" {
		return runtime.Data{}, nil
	}
	return posteriors.Covertype(file, posteriorRows, runtime.Stream(1, "data"))
}

// posterior is a posterior of a logistic regression.
func posterior(name string, components, steps int, from func(file string) (runtime.Data, error)) func(string) (*experiment, error) {
	return func(file string) (*experiment, error) {
		data, err := from(file)
		if err != nil || data.Values == nil {
			return nil, err
		}
		return posteriorOf(name, components, steps, data)
	}
}

func posteriorOf(name string, components, steps int, data runtime.Data) (*experiment, error) {
	m, err := posteriors.Load(name, data, components)
	if err != nil {
		return nil, err
	}
	draws := posteriorDraws * max(components, 1)
	if err := m.SetDraws(draws); err != nil {
		return nil, err
	}
	z := make([]float64, grid.Dimension(m))
	first := 0
	if m.Info().RandomStart {
		first = m.Info().Starts
	}
	if err := m.Start(z, first, runtime.Stream(1, "start")); err != nil {
		return nil, err
	}
	// Steps of these lengths from there may leave the domain, which those of Descend are kept from.
	r, err := runtime.Descend(context.Background(), m, z, &runtime.Stochastic{Seed: 1, MaxSteps: posteriorBefore, SkipLoss: true})
	if err != nil {
		return nil, err
	}
	e := &experiment{model: m, start: r.Z, arrays: map[string]array{}}
	e.columns(data)
	e.noise(m, draws, steps)
	return e, nil
}

// columns writes the rows of a regression as a matrix and a vector.
func (e *experiment) columns(data runtime.Data) {
	var x, y []float64
	for i := 0; i < len(data.Values); i += data.Columns {
		x = append(x, data.Values[i:i+data.Columns-1]...)
		y = append(y, data.Values[i+data.Columns-1])
	}
	e.arrays["X"], e.arrays["y"] = array{x, []int{len(y), data.Columns - 1}}, array{y, []int{len(y)}}
}

// noise draws the random numbers of all steps: of skew distributions w and e, normal, and of those with heavy tails g, uniform.
func (e *experiment) noise(m runtime.Variational, draws, steps int) {
	var all [][][]float64 // by step and kind
	rng := runtime.Stream(1, "noise")
	for range steps {
		m.Draw(rng)
		var kinds [][]float64
		for _, n := range m.Noise() {
			kinds = append(kinds, slices.Clone(n.Values))
		}
		all = append(all, kinds)
	}
	for i, n := range m.Noise() {
		name := "g"
		shape := []int{steps, draws}
		switch {
		case n.Length > 1:
			name, shape = "e", append(shape, n.Length)
		case n.Spherical:
			name = "w"
		}
		var values []float64
		for _, kinds := range all {
			values = append(values, kinds[i]...)
		}
		e.arrays[name] = array{values, shape}
	}
	e.turn = func(k int) error {
		for i, n := range m.Noise() {
			copy(n.Values, all[max(k, 0)][i])
		}
		return nil
	}
}
