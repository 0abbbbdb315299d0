package estimate

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Report is the outcome of a fit.
type Report struct {
	Problem    string         `json:"problem"`
	Target     string         `json:"target"`
	Surrogate  string         `json:"surrogate"`
	Method     string         `json:"method"`
	LineSearch string         `json:"line_search,omitempty"`
	Status     runtime.Status `json:"status"`
	Converged  bool           `json:"converged"`
	Message    string         `json:"message"`

	Dimensions Sizes `json:"dimensions,omitempty"` // the lengths of the dimensions that are not numbers

	N        float64 `json:"n"`    // sum of the weights
	Rows     int     `json:"rows"` // of the data
	Distinct int     `json:"distinct"`

	Start       int `json:"start"` // index of the start that led to the optimum
	Iterations  int `json:"iterations"`
	Evaluations int `json:"evaluations"` // of the loss or the gradients, in the run from that start

	Course *Course `json:"course,omitempty"` // of a run of scheduled steps

	Loss          Number `json:"loss"` // mean negative log-likelihood
	LogLikelihood Number `json:"log_likelihood"`
	// FinerLogLikelihood is the same with more nodes for the integrals of the density and more terms of its series; left out where it has none.
	FinerLogLikelihood Number `json:"finer_log_likelihood,omitempty"`
	// Penalised says that the estimate maximises LogLikelihood less Penalty, which are reported apart; Optima have the loss
	// with it. There are no AIC and BIC then, which compare maxima of likelihoods.
	Penalised bool   `json:"penalised,omitempty"`
	Penalty   Number `json:"penalty,omitempty"`
	Free      int    `json:"free_parameters"` // k: d for a vector(d), d(d+1)/2 for an spd(d) and so on
	// AIC is 2 k - 2 log-likelihood, BIC k log n - 2 log-likelihood; null where there is no maximum to compare.
	AIC Number `json:"aic"`
	BIC Number `json:"bic"`

	Estimate Values `json:"parameters"` // of the target's parameters
	// Reported are further quantities that the spec asks for; nil where there are none.
	Reported *Quantities `json:"reported,omitempty"`
	// StdErr come from the inverse observed information, in the shapes of the parameters; null when it is not
	// positive definite. Where parameters are vectors or matrices they are null also when the run has not converged and
	// when there are too many of them, and single ones are where an entry cannot vary, as the diagonal of a corr.
	StdErr Values `json:"standard_errors"`
	// Level and Interval: estimate plus or minus a normal quantile in unconstrained coordinates, transformed back; in a
	// coordinate of each entry where a parameter is a vector or a matrix.
	Level    float64   `json:"level,omitempty"`
	Interval Intervals `json:"intervals,omitempty"`
	// Labels are what the entries of parameters that are vectors are called, where a caller says.
	Labels map[string][]string `json:"labels,omitempty"`
	// Covariance is that of the entries of all estimated parameters, whose roots are the standard errors; null with these.
	Covariance *Covariance `json:"covariance,omitempty"`

	// Components are those of a mixture, in the order of their means where the observation is a number, otherwise of their
	// weights, the largest first. All parameters, standard errors and intervals are in this order; Order has the numbers,
	// from 1, that the components have in the coordinates of the model.
	Components []Component `json:"components,omitempty"`
	Shared     []string    `json:"shared,omitempty"` // parameters that all components have in common
	Order      []int       `json:"order,omitempty"`
	// Entropy of the components given the rows, the sum over these; 0, and left out, where each row belongs to one component.
	Entropy Number `json:"entropy,omitempty"`
	// ICL is BIC + 2 Entropy, the integrated completed likelihood criterion: of mixtures of about the same BIC it prefers
	// the one whose components are apart. 0, and left out, where the posterior is not known, and of what is no mixture.
	ICL         Number  `json:"icl,omitempty"`
	WeightFloor float64 `json:"weight_floor,omitempty"`

	// Coordinates are those of the surrogate at the estimate, for another fit to start from; left out for methods that step others. They
	// are in the order of the model, whose components need not be that of the report.
	Coordinates []Number `json:"coordinates,omitempty"`

	Separation *Separation  `json:"separation,omitempty"` // where coefficients of a regression go at infinity; left out where that is not known
	Limits     []AtInfinity `json:"limits,omitempty"`     // what the likelihood tends to where parameters leave their domain
	Optima     []Optimum    `json:"optima,omitempty"`     // when there were several starts, best first
	// Alternatives are other optima of a mixture that a reader may prefer to the one that was chosen.
	Alternatives []Alternative `json:"alternatives,omitempty"`

	Seed     uint64   `json:"seed"`
	Seconds  float64  `json:"seconds"` // wall-clock time of all starts together, without the standard errors
	Warnings []string `json:"warnings,omitempty"`

	// Details are what the settings ask for beside the report; nil otherwise.
	Details *Details `json:"-"`
}

// Complete reports whether the run came to the end that it was meant to have: it converged, or took all its steps where
// these are scheduled.
func (r *Report) Complete() bool { return r.Converged || r.Course != nil && isLimit(r.Status) }

// Theta returns the estimates as the model has them, one parameter after the other in the order of Info().Parameters, those
// of the components of a mixture in the order of the report.
func (r *Report) Theta() []float64 { return r.Estimate.flat() }

// Covariance is a covariance matrix of entries of parameters.
type Covariance struct {
	Names  []string   `json:"names"` // of rows and columns: mu, eta[1], Omega[1;2]
	Values [][]Number `json:"values"`
}

// Optimum is a stationary point that one or more starts led to, the best one of which is a maximum as far as its curvature shows. Two runs count as the same optimum when their losses
// agree to 9 digits, and of mixtures also the parameters, to 4 digits, in some order of the components; of other models also when one comes within 0.01 in
// total log-likelihood of where another has ended, with nothing between them, and when both come to the same point on a sample of many rows, from which one of
// them goes on with all rows to where others have ended.
type Optimum struct {
	Loss   Number `json:"loss"`
	Count  int    `json:"count"` // starts that led there
	Start  int    `json:"start"` // the first of them
	Starts []int  `json:"starts"`
	// Examined is whether the curvature there was looked at, and found to be that of a maximum. Others are where the natural gradient
	// vanishes, but perhaps saddle points or on the way to infinity: runs are examined in the order of their losses, until one is sound.
	Examined bool   `json:"examined"`
	Estimate Values `json:"parameters"` // of the target's parameters
}

// Number is a float64 that becomes null in JSON when it is not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (x Number) MarshalJSON() ([]byte, error) {
	if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON implements json.Unmarshaler: null becomes NaN.
func (x *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*x = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(x))
}

// Value is a number, a vector or a matrix with the name of a parameter.
type Value struct {
	Name    string
	Value   float64   // of a number
	Shape   []int     // nil for a number, the length of a vector, rows and columns of a matrix
	Entries []float64 // of a vector; of a matrix row by row
}

// Values are an object in JSON, in the order of the parameters, with vectors as arrays and matrices as arrays of rows; nil
// is null.
type Values []Value

// MarshalJSON implements json.Marshaler.
func (vs Values) MarshalJSON() ([]byte, error) {
	if vs == nil {
		return []byte("null"), nil
	}
	return object(len(vs), func(i int) (string, any) {
		if vs[i].Shape == nil {
			return vs[i].Name, Number(vs[i].Value)
		}
		return vs[i].Name, nested(vs[i].Shape, vs[i].Entries)
	})
}

// nested makes arrays of arrays of entries.
func nested(shape []int, entries []float64) any {
	if len(shape) == 0 {
		return Number(entries[0])
	}
	out := make([]any, shape[0])
	for i := range out {
		width := len(entries) / shape[0]
		out[i] = nested(shape[1:], entries[i*width:(i+1)*width])
	}
	return out
}

// Get returns the number with a name, NaN if there is none.
func (vs Values) Get(name string) float64 {
	for _, v := range vs {
		if v.Name == name && v.Shape == nil {
			return v.Value
		}
	}
	return math.NaN()
}

// flat returns all entries, one after the other.
func (vs Values) flat() []float64 {
	var out []float64
	for _, v := range vs {
		if v.Shape == nil {
			out = append(out, v.Value)
		} else {
			out = append(out, v.Entries...)
		}
	}
	return out
}

// Size is the length of a dimension.
type Size struct {
	Name string
	Len  int
}

// Sizes are an object in JSON, in the order of the dimensions.
type Sizes []Size

// MarshalJSON implements json.Marshaler.
func (ss Sizes) MarshalJSON() ([]byte, error) {
	return object(len(ss), func(i int) (string, any) { return ss[i].Name, ss[i].Len })
}

// Interval is a confidence interval of a parameter, or of each of its entries.
type Interval struct {
	Name        string
	Low, High   float64   // of a number
	Shape       []int     // as in Value
	Lows, Highs []float64 // of a vector; of a matrix row by row
}

// Intervals are an object of pairs in JSON, in the order of the parameters, with arrays of pairs for vectors and arrays of
// arrays of them for matrices; nil is null.
type Intervals []Interval

// MarshalJSON implements json.Marshaler.
func (is Intervals) MarshalJSON() ([]byte, error) {
	if is == nil {
		return []byte("null"), nil
	}
	return object(len(is), func(i int) (string, any) {
		v := &is[i]
		if v.Shape == nil {
			return v.Name, [2]Number{Number(v.Low), Number(v.High)}
		}
		pairs := make([]float64, 0, 2*len(v.Lows))
		for k, low := range v.Lows {
			pairs = append(pairs, low, v.Highs[k])
		}
		return v.Name, nested(append(slices.Clone(v.Shape), 2), pairs)
	})
}

// Ends lists the ends of all intervals, one after the other.
func (is Intervals) Ends() (lows, highs []float64) {
	for _, i := range is {
		if i.Shape == nil {
			lows, highs = append(lows, i.Low), append(highs, i.High)
		}
		lows, highs = append(lows, i.Lows...), append(highs, i.Highs...)
	}
	return lows, highs
}

// object writes a JSON object whose keys keep their order, which a map would not.
func object(n int, member func(int) (string, any)) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		name, value := member(i)
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
