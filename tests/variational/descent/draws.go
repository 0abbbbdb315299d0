package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/matched"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
)

// way is a way to make the draws of a gradient.
type way struct {
	name string
	draw func(m runtime.Variational, rng *rand.Rand)
}

// ways are those that are compared; the first is what the others are compared with.
var ways = []way{
	{"independent", runtime.Independent.Draw},
	{"antithetic", func(m runtime.Variational, rng *rand.Rand) {
		m.Draw(rng)
		for _, a := range m.Noise() {
			if a.Spherical {
				oppose(a.Values, len(a.Values)/parts(m))
			}
		}
	}},
	{"orthogonal pairs", runtime.OrthogonalPairs.Draw},
	{"simplex", runtime.Simplex.Draw},
	{"matched", func(m runtime.Variational, rng *rand.Rand) {
		m.Draw(rng)
		matched.Fill(m.Noise(), parts(m), rng)
	}},
}

// oppose makes the second half of each part the negative of the first.
func oppose(values []float64, length int) {
	for ; len(values) > 0; values = values[length:] {
		for i, x := range values[:length/2] {
			values[length/2+i] = -x
		}
	}
}

// noise is what is known of the gradients that a way makes at a point, in the metric of the approximation, where half the square
// of a natural gradient is by how much a full step along it changes the bound.
type noise struct {
	variance float64 // of a natural gradient: the expectation of the square of its difference from its mean
	seconds  float64 // for draws and gradient
	v, c     []float64
}

// measure estimates them from replicates.
func measure(m runtime.Variational, z []float64, w way, replicates int) noise {
	n := len(z)
	a := noise{v: make([]float64, n), c: make([]float64, n)}
	v, c := make([]float64, n), make([]float64, n)
	rng := runtime.Stream(3, w.name)
	square, r := 0.0, float64(replicates)
	began := clock.Now()
	for range replicates {
		w.draw(m, rng)
		m.Gradients(v, c, z)
		square += inner(c, v)
		for i := range v {
			a.v[i] += v[i] / r
			a.c[i] += c[i] / r
		}
	}
	a.seconds = (clock.Now() - began).Seconds() / r
	a.variance = (square - r*inner(a.c, a.v)) / (r - 1)
	return a
}

func inner(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// between is the square of the difference of the means of two ways, without the part that is due to their noise.
func (a *noise) between(b *noise, replicates int) float64 {
	square := 0.0
	for i := range a.v {
		square += (a.v[i] - b.v[i]) * (a.c[i] - b.c[i])
	}
	return square - (a.variance+b.variance)/float64(replicates)
}

// draws is the table of the variances of gradients.
func (e *experiment) draws(ctx context.Context) (string, error) {
	var b strings.Builder
	b.WriteString("| posterior | normal numbers | draws | at | variance |")
	for _, w := range ways[1:] {
		b.WriteString(" " + w.name + " |")
	}
	for _, w := range ways[1:] {
		b.WriteString(" " + w.name + ", equal work |")
	}
	b.WriteString(" bias of matched |\n| --- |" + strings.Repeat(" ---: |", 2) + " --- |" + strings.Repeat(" ---: |", 2*len(ways)) + "\n")
	all, err := e.posteriors()
	if err != nil {
		return "", err
	}
	for _, p := range all {
		m, err := p.load()
		if err != nil {
			return "", err
		}
		first, err := start(m, 1)
		if err != nil {
			return "", err
		}
		last, err := end(ctx, m, first, 2000)
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.name, err)
		}
		d := normals(m)
		for _, draws := range numbers(d) {
			if err := m.SetDraws(draws * parts(m)); err != nil {
				return "", err
			}
			for _, at := range []struct {
				name string
				z    []float64
			}{{"start", first}, {"end", last}} {
				if ctx.Err() != nil {
					return "", ctx.Err()
				}
				b.WriteString(e.row(p.name, m, at.name, at.z, d, draws))
				fmt.Fprintf(e.progress, "%s, %d draws, %s\n", p.name, draws, at.name)
			}
		}
	}
	return b.String(), nil
}

// numbers are numbers of draws: 2 up to four times the normal numbers that a draw takes.
func numbers(d int) []int {
	out := []int{2, 8, 20, d &^ 1, 2 * d, 4 * d}
	slices.Sort(out)
	return slices.Compact(out)
}

// row is a line of the table.
func (e *experiment) row(name string, m runtime.Variational, at string, z []float64, d, draws int) string {
	all := make([]noise, len(ways))
	for i, w := range ways {
		all[i] = measure(m, z, w, e.replicates)
	}
	one := &all[0]
	row := fmt.Sprintf("| %s | %d | %d | %s | %.3g |", name, d, draws, at, one.variance)
	for _, x := range all[1:] {
		row += fmt.Sprintf(" %.2f |", x.variance/one.variance)
	}
	for _, x := range all[1:] {
		row += fmt.Sprintf(" %.2f |", x.variance*x.seconds/(one.variance*one.seconds))
	}
	last := &all[len(all)-1]
	least := one
	for i := range all[:len(all)-1] {
		if all[i].variance < least.variance {
			least = &all[i]
		}
	}
	return row + fmt.Sprintf(" %.2g |\n", max(0, last.between(least, e.replicates)))
}
