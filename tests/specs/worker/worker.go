// Package worker asks generated packages for everything they say, in the program that the tests of random specs compile:
// what it answers is compared with the interpreter elsewhere.
package worker

import (
	"encoding/gob"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/ep"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
)

// Answer is what the model of one spec says.
type Answer struct {
	Failure string // a panic, or that there was no answer in time; the rest is empty then
	Refused string // why the model took no data
	Sizes   []int
	Count   int // of the components
	Data    runtime.Data
	Starts  []Start
	Points  []Point
}

// Start is a starting point, or why there is none.
type Start struct {
	Z       []float64
	Refused string
}

// Point is what a model says at a point of its domain.
type Point struct {
	Z, V, C, Only, Dual, Theta []float64
	Loss, ByGradients          float64
	ThetaLoss                  float64 // with its gradient, of models with vectors
	ThetaGradient              []float64
	U, UGradient, UHessian     []float64 // in unconstrained coordinates, of models of numbers
	ULoss                      float64
	Latents, Weights, Density  []float64 // of the draws of a variational objective
	Beside                     []float64 // what else posteriors compute
}

// limit is how long a model may take.
const limit = 30 * time.Second

// rows is the number of rows of data.
const rows = 11

// Answers asks all models, by the names of their packages, and writes the answers to a file. It stops at a model that gives
// none in time, which cannot be ended otherwise.
func Answers(name string, models map[string]func() runtime.Model) error {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer out.Close()
	answers := map[string]Answer{}
	for pkg, newModel := range models {
		answer := make(chan Answer, 1)
		go func() { answer <- Ask(newModel) }()
		select {
		case answers[pkg] = <-answer:
		case <-time.After(limit):
			answers[pkg] = Answer{Failure: fmt.Sprintf("no answer within %v", limit)}
		}
	}
	return gob.NewEncoder(out).Encode(answers)
}

// Read reads the answers from a file.
func Read(name string) (map[string]Answer, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var answers map[string]Answer
	return answers, gob.NewDecoder(in).Decode(&answers)
}

// Ask asks a model.
func Ask(newModel func() runtime.Model) (a Answer) {
	defer func() {
		if r := recover(); r != nil {
			a = Answer{Failure: fmt.Sprintf("panic: %v\n%s", r, debug.Stack())}
		}
	}()
	rng := rand.New(rand.NewPCG(3, 5))
	m := newModel()
	if err := a.give(m, rng); err != nil {
		a.Refused = err.Error()
		return a
	}
	a.Sizes = append([]int(nil), m.Sizes()...)
	if x, ok := m.(runtime.Mixture); ok {
		a.Count = x.Components()
	}
	starts := m.Info().Starts
	if m.Info().RandomStart {
		starts++
	}
	for i := range starts {
		z := newPoint(m)
		if err := m.Start(z, i, rng); err != nil {
			a.Starts = append(a.Starts, Start{Refused: err.Error()})
			continue
		}
		a.Starts = append(a.Starts, Start{Z: z})
		a.Points = append(a.Points, at(m, z))
		if moved := near(m, z, rng); moved != nil {
			a.Points = append(a.Points, at(m, moved))
		}
	}
	return a
}

// give gives a model lengths, which are all different, and data.
func (a *Answer) give(m runtime.Model, rng *rand.Rand) error {
	if x, ok := m.(runtime.Mixture); ok && m.Info().Components != "" {
		if err := x.SetComponents(2); err != nil {
			return err
		}
	}
	if v, ok := m.(runtime.Variational); ok {
		if err := modeltest.Provide(v, 2, rng); err != nil || len(m.Info().Data) == 0 {
			return err
		}
		a.Data = modeltest.DataOf(m, 2, rows, rng)
		return m.SetData(a.Data)
	}
	if names := m.Info().Dims; len(names) > 0 {
		sizes := make([]int, len(names))
		for i, name := range names {
			if sizes[i] = 2 + i; name == m.Info().Components {
				sizes[i] = 2
			}
		}
		if err := m.Resize(sizes); err != nil {
			return err
		}
	}
	a.Data = modeltest.Rows(m, rows, rng)
	for range rows {
		a.Data.Weights = append(a.Data.Weights, float64(rng.IntN(4))*rng.Float64())
	}
	return m.SetData(a.Data)
}

func newPoint(m runtime.Model) []float64 {
	n := 0
	for _, b := range m.Blocks() {
		n = max(n, b.Offset+b.Len)
	}
	return make([]float64, n)
}

// near moves a point inside the domain, symmetric matrices symmetrically; nil where that cannot be done.
func near(m runtime.Model, z []float64, rng *rand.Rand) []float64 {
	d := newPoint(m)
	for i := range d {
		d[i] = rng.NormFloat64() * max(0.1, math.Abs(z[i]))
	}
	modeltest.Symmetrise(m, d)
	for size := 0.1; size > 1e-4; size /= 2 {
		out := newPoint(m)
		for i := range out {
			out[i] = z[i] + size*d[i]
		}
		if m.Violation(out) < 0 {
			return out
		}
	}
	return nil
}

func at(m runtime.Model, z []float64) Point {
	p := Point{Z: z, V: newPoint(m), C: newPoint(m), Only: newPoint(m), Dual: newPoint(m)}
	p.ByGradients = m.Gradients(p.V, p.C, z)
	m.NaturalGradient(p.Only, z)
	p.Loss = m.Loss(z)
	if d, ok := m.(runtime.Dual); ok {
		d.Dual(p.Dual, z)
	}
	n := 0
	for _, q := range m.Info().Parameters {
		n += q.Len(m)
	}
	p.Theta = make([]float64, n)
	m.Theta(p.Theta, z)
	if o, ok := m.(runtime.Objective); ok {
		p.ThetaGradient = make([]float64, n)
		p.ThetaLoss = o.ThetaGradient(p.ThetaGradient, p.Theta)
	}
	if u := m.Unconstrained(); u != nil {
		k := u.Dim()
		p.U, p.UGradient, p.UHessian = make([]float64, k), make([]float64, k), make([]float64, k*k)
		u.FromTheta(p.U, p.Theta)
		p.ULoss = u.Gradient(p.UGradient, p.U)
		u.Hessian(p.UHessian, p.U)
	}
	if v, ok := m.(runtime.Variational); ok {
		p.Latents = make([]float64, v.Draws()*m.Info().Variable.Len(m))
		p.Weights, p.Density = make([]float64, v.Draws()), make([]float64, v.Draws())
		v.Latents(p.Latents, z)
		v.Weights(p.Weights, z)
		v.LogDensities(p.Density, z)
		p.Beside = beside(v, z, p.Latents[:m.Info().Variable.Len(m)])
	}
	return p
}

// beside is what else posteriors compute: bounds without draws, reports, predictions, and factors with one predictor.
func beside(v runtime.Variational, z, latent []float64) (out []float64) {
	info := v.Info()
	length := func(list []runtime.Parameter) (n int) {
		for _, q := range list {
			n += q.Len(v)
		}
		return n
	}
	if x, ok := v.(runtime.Exact); ok {
		gradients := make([]float64, 2*len(z))
		out = append(out, float64(x.Nodes()), x.ExactLoss(z), x.ExactGradients(gradients[:len(z)], gradients[len(z):], z))
		out = append(out, gradients...)
	}
	if x, ok := v.(runtime.Reporter); ok && len(info.Reported) > 0 {
		shown := make([]float64, length(info.Reported))
		x.Reported(shown, latent)
		out = append(out, shown...)
	}
	if x, ok := v.(runtime.Predictor); ok && len(info.Predicted) > 0 {
		n, _, _ := v.Counts()
		drawn := make([]float64, 2*n*length(info.Predicted))
		x.Predict(drawn[:len(drawn)/2], latent, rand.New(rand.NewPCG(1, 2)))
		x.Observed(drawn[len(drawn)/2:])
		out = append(out, drawn...)
	}
	if x, ok := v.(ep.Model); ok {
		d, factors, predictors := x.FactorSizes()
		coefficients := make([]float64, d*predictors+factors)
		x.Coefficients(coefficients[:d*predictors], coefficients[d*predictors:])
		logs, gradient := make([]float64, 3), make([]float64, d)
		var at []float64 // three points
		for k := range x.Predictors(factors - 1) {
			at = append(at, -1+float64(k), 0.5, 2)
		}
		x.FactorLogs(logs, at, factors-1)
		out = append(append(out, coefficients...), append(logs, x.Quadratic(gradient, latent))...)
		out = append(out, gradient...)
	}
	return out
}
