package estimate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Fitted is what a fit of a likelihood has found, as its report says it in JSON: json.Unmarshal reads one from what was written.
type Fitted struct {
	Problem       string   `json:"problem"`
	Target        string   `json:"target"`
	Surrogate     string   `json:"surrogate"`
	Converged     bool     `json:"converged"`
	Message       string   `json:"message"`
	N             float64  `json:"n"` // sum of the weights of the data of the fit
	Rows          int      `json:"rows"`
	LogLikelihood Number   `json:"log_likelihood"`
	Penalised     bool     `json:"penalised"`
	Free          int      `json:"free_parameters"`
	Parameters    Values   `json:"parameters"`
	Coordinates   []Number `json:"coordinates"`
	Order         []int    `json:"order"` // of components: see Report
}

// Fitted is what the report says of the target.
func (r *Report) Fitted() *Fitted {
	return &Fitted{Problem: r.Problem, Target: r.Target, Surrogate: r.Surrogate, Converged: r.Converged, Message: r.Message, N: r.N,
		Rows: r.Rows, LogLikelihood: r.LogLikelihood, Penalised: r.Penalised, Free: r.Free, Parameters: r.Estimate,
		Coordinates: r.Coordinates, Order: r.Order}
}

// Point is where the fit ended, for another one to start from: see Settings.Init.
func (f *Fitted) Point() *Point {
	p := &Point{Problem: f.Problem, Target: f.Target, Surrogate: f.Surrogate, Parameters: f.Parameters, order: f.Order}
	for _, z := range f.Coordinates {
		p.Coordinates = append(p.Coordinates, float64(z))
	}
	return p
}

// On gives a model the lengths of the fit, its number of components too, and returns the parameters of the target in the order and layout
// of Theta. The model loses its data. The error says why it is no model of this fit.
func (f *Fitted) On(m runtime.Model) ([]float64, error) {
	info := m.Info()
	switch {
	case f.Problem != info.Name:
		return nil, fmt.Errorf("the fit is one of %s, not of %s", f.Problem, info.Name)
	case f.Target != info.Target:
		return nil, fmt.Errorf("the fit is of the distribution %s, but that of %s is %s now", f.Target, info.Name, info.Target)
	case len(f.Parameters) == 0:
		return nil, errors.New("the fit has no parameters")
	}
	for i := range info.Parameters {
		p := &info.Parameters[i]
		if !slices.ContainsFunc(f.Parameters, func(v Value) bool { return v.Name == p.Name }) {
			return nil, fmt.Errorf("the fit has no parameter %s, which %s has now", p.Name, info.Target)
		}
	}
	if err := resize(m, &SampleRequest{Set: f.Parameters}); err != nil {
		return nil, err
	}
	theta := make([]float64, thetaLen(m))
	for _, v := range f.Parameters {
		if p := parameter(info, v.Name); p != nil && !slices.Equal(shape(m, p), v.Shape) {
			return nil, fmt.Errorf("%s is %s, the value in the fit is %s", p.Name, inWords(shape(m, p)), inWords(v.Shape))
		}
	}
	return theta, applySet(m, theta, f.Parameters)
}

// UnmarshalJSON implements json.Unmarshaler: values are in the order in which they are written.
func (vs *Values) UnmarshalJSON(text []byte) error {
	*vs = nil
	d := json.NewDecoder(bytes.NewReader(text))
	open, err := d.Token()
	if err != nil || open == nil {
		return err
	}
	if open != json.Delim('{') {
		return errors.New("parameters are an object of values")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var inner json.RawMessage
		if err := d.Decode(&inner); err != nil {
			return err
		}
		v, err := ParseValue(name.(string), inner)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*vs = append(*vs, v)
	}
	return nil
}

// ParseValue reads the value of a name from JSON: a number, an array of numbers, an array of such rows or, of mixtures, an array of such
// arrays.
func ParseValue(name string, text []byte) (Value, error) {
	v := Value{Name: name}
	var x any
	if err := json.Unmarshal(text, &x); err != nil {
		return v, errNoValue
	}
	if number, ok := x.(float64); ok {
		v.Value = number
		return v, nil
	}
	rows, ok := x.([]any)
	if !ok || len(rows) == 0 {
		return v, errNoValue
	}
	for array := rows; ok && len(array) > 0; array, ok = array[0].([]any) {
		v.Shape = append(v.Shape, len(array))
	}
	return v, appendEntries(&v, rows, v.Shape)
}

var (
	errNoValue = errors.New("not a number, nor an array of numbers in JSON")
	errRagged  = errors.New("the rows of a matrix are arrays of one length")
)

// mostNested is how deep arrays are nested: matrices of the components of a mixture.
const mostNested = 3

// appendEntries takes the entries of an array whose shape is that of its first elements.
func appendEntries(v *Value, array []any, shape []int) error {
	if len(array) != shape[0] || len(shape) > mostNested {
		return errRagged
	}
	for _, element := range array {
		inner, nested := element.([]any)
		x, number := element.(float64)
		var err error
		switch {
		case nested != (len(shape) > 1):
			err = errRagged
		case nested:
			err = appendEntries(v, inner, shape[1:])
		case !number:
			err = fmt.Errorf("the entry %v is not a number", element)
		default:
			v.Entries = append(v.Entries, x)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
