package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// NoiseKind is a primitive random number of the language: a row of the one table that the loader, the binder, the
// emitter, the checks and the reference read. The function that draws it has its name, capitalised, in runtime/random.
type NoiseKind struct {
	Name   string
	Doc    string
	Params []NoiseParam // what the function takes, in order
	Arity  []int        // how many of them a spec may give

	// What is known of the numbers: Lo <= x < Hi, or Lo < x < Hi when LoOpen.
	Lo, Hi  float64
	LoOpen  bool
	Integer bool
	Between bool // the range is between the parameters, where a spec gives them

	// Fixed and Value reparameterise it: Value is a formula in the names of the parameters and in e, a random number of the
	// kind Fixed with default parameters. Empty where there is no differentiable one.
	Fixed, Value string
	// Symmetric is true where the negative of a default one has the same distribution.
	Symmetric bool
	// Quantile is true where package random has a function <Name>Quantile with the same parameters.
	Quantile bool
	// Spherical is true where a vector of default ones has the same distribution after a rotation.
	Spherical bool
	// Shares is true where the entries of an array are drawn one after the other, and each has of the first parameter, which is never less,
	// what those before it have left.
	Shares bool
	// Combines is true where linear combinations of independent default ones are distributed as one of them, but for location and
	// scale, and the kind is the standard normal one, which has all moments: functions of them have expectations by quadrature.
	Combines bool
}

// NoiseParam is a parameter of a primitive random number.
type NoiseParam struct {
	Name     string
	Default  float64 // when a spec leaves it out
	Positive bool
}

var noiseKinds = []NoiseKind{
	{
		Name: "normal", Doc: "standard normal",
		Params: []NoiseParam{{"mean", 0, false}, {"deviation", 1, true}}, Arity: []int{0},
		Lo: math.Inf(-1), Hi: math.Inf(1), LoOpen: true,
		Fixed: "normal", Value: "mean + deviation*e", Symmetric: true, Spherical: true, Combines: true, Quantile: true,
	},
	{
		Name: "uniform", Doc: "uniform between 0 and 1, or between two ends",
		Params: []NoiseParam{{"low", 0, false}, {"high", 1, false}}, Arity: []int{0, 2},
		Lo: 0, Hi: 1, LoOpen: true, Between: true,
		Fixed: "uniform", Value: "low + (high - low)*e", Quantile: true,
	},
	{
		Name: "exponential", Doc: "standard exponential",
		Params: []NoiseParam{{"rate", 1, true}}, Arity: []int{0},
		Lo: 0, Hi: math.Inf(1), LoOpen: true,
		Fixed: "exponential", Value: "e/rate", Quantile: true,
	},
	{
		Name: "gamma", Doc: "gamma with a shape and a rate, 1 when it is left out",
		Params: []NoiseParam{{"shape", 1, true}, {"rate", 1, true}}, Arity: []int{1, 2},
		Lo: 0, Hi: math.Inf(1), LoOpen: true,
		Fixed: "uniform", Value: "gamma_quantile(e, shape)/rate", Quantile: true,
	},
	{
		Name: "poisson", Doc: "Poisson with a mean",
		Params: []NoiseParam{{"mean", 1, true}}, Arity: []int{1},
		Lo: 0, Hi: math.Inf(1), Integer: true,
	},
	{
		Name: "binomial", Doc: "number of successes in so many trials, with a probability",
		Params: []NoiseParam{{"trials", 1, false}, {"probability", 0.5, false}}, Arity: []int{2},
		Lo: 0, Hi: math.Inf(1), Integer: true,
	},
	{
		Name: "share", Doc: "number of successes in so many trials, with a probability; in an array, in those that the entries before it have left",
		Params: []NoiseParam{{"trials", 1, false}, {"probability", 0.5, false}}, Arity: []int{2},
		Lo: 0, Hi: math.Inf(1), Integer: true, Shares: true,
	},
	{
		Name: "beta", Doc: "between 0 and 1, with a beta distribution of two shapes; at an end where rounding leaves nothing else",
		Params: []NoiseParam{{"a", 1, true}, {"b", 1, true}}, Arity: []int{2},
		Lo: 0, Hi: math.Nextafter(1, 2),
	},
	{
		Name: "angle", Doc: "angle from -pi to pi, with a density proportional to exp(concentration*cos(x))",
		Params: []NoiseParam{{"concentration", 1, true}}, Arity: []int{1},
		Lo: -math.Pi, Hi: math.Nextafter(math.Pi, 4),
	},
	{
		Name: "versine", Doc: "1 - cos of the angle to the mean direction, of a direction in so many dimensions, 2 or more, with a density proportional to exp(concentration*cos)",
		Params: []NoiseParam{{"concentration", 1, false}, {"dimensions", 2, true}}, Arity: []int{2},
		Lo: 0, Hi: math.Nextafter(2, 3),
	},
}

// NoiseKinds lists the random numbers.
func NoiseKinds() []NoiseKind { return slices.Clone(noiseKinds) }

// Noise returns the random number of a name, nil when there is none.
func Noise(name string) *NoiseKind {
	for i := range noiseKinds {
		if noiseKinds[i].Name == name {
			return &noiseKinds[i]
		}
	}
	return nil
}

// Forms are the ways to write it: uniform, uniform(low, high).
func (k *NoiseKind) Forms() []string {
	var out []string
	for _, n := range k.Arity {
		form := k.Name
		if n > 0 {
			form += "(" + strings.Join(k.names(n), ", ") + ")"
		}
		out = append(out, form)
	}
	return out
}

func (k *NoiseKind) names(n int) []string {
	var out []string
	for _, p := range k.Params[:n] {
		out = append(out, p.Name)
	}
	return out
}

// takes says how many parameters a spec may give.
func (k *NoiseKind) takes() string {
	if k.Arity[0] == 0 {
		s := "no parameters"
		for _, n := range k.Arity[1:] {
			s += fmt.Sprintf(", or %d", n)
		}
		return s
	}
	var list []string
	for _, n := range k.Arity {
		list = append(list, fmt.Sprint(n))
	}
	s := strings.Join(list, " or ") + " parameter"
	if k.Arity[len(k.Arity)-1] > 1 {
		s += "s"
	}
	return s
}

func noiseNames() []string {
	var out []string
	for _, k := range noiseKinds {
		out = append(out, k.Name)
	}
	return out
}
