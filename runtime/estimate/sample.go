package estimate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// SampleRequest says what to draw from the target of a model.
type SampleRequest struct {
	Rows int
	Seed uint64
	// Set has values of dimensions and parameters. A number for a vector stands for all of its entries, and one for an
	// spd, corr or lower matrix for a multiple of the identity. Parameters that are left out have the values of
	// runtime.Parameter.Default. Dimensions follow from the shapes of parameters where these are given. What each component
	// of a mixture has is an array of the values of each, or one value for all.
	Set []Value
	// Components is the number of components of a mixture; 0 leaves it to Set or to the model.
	Components int
	// Fallback is the length of dimensions that nothing says, but for the number of components; 0 makes it an error.
	Fallback int
	// Spread makes the components of a mixture differ where Set does not say what they are.
	Spread bool
}

// Draws are rows of observations.
type Draws struct {
	Columns []string // a name for each number of a row
	Values  []float64
}

// errNoRows is the answer to a request for nothing.
var errNoRows = errors.New("the number of rows must be positive")

// NoDraws is the error where draws of a target are needed, and its spec does not say how to make them. The hint says what to write.
func NoDraws(info *runtime.Info) error {
	return fmt.Errorf("the spec of %s does not say how to draw from it\nhint: %s", info.Target, addSample(info))
}

// addSample says how a spec tells how to draw.
func addSample(info *runtime.Info) string {
	return fmt.Sprintf("add sample: to %s, with random numbers under noise, such as noise: {u: uniform}, and %s as a formula of them and the parameters",
		info.Target, info.Variable.Name)
}

// Sample draws from the target of a model, which loses its data.
func Sample(m runtime.Model, r SampleRequest) (*Draws, error) {
	info := m.Info()
	s, ok := m.(runtime.Sampler)
	if !ok {
		return nil, NoDraws(info)
	}
	if r.Rows < 1 {
		return nil, errNoRows
	}
	if err := resize(m, &r); err != nil {
		return nil, err
	}
	theta := defaults(m)
	if r.Spread {
		spread(m, theta)
	}
	err := applySet(m, theta, r.Set)
	if err != nil {
		return nil, err
	}
	width := info.RowLen(m)
	if err := drawable(r.Rows, width); err != nil {
		return nil, err
	}
	out := &Draws{Columns: columns(m), Values: make([]float64, r.Rows*width)}
	given, drawn := runtime.Stream(r.Seed, "given"), runtime.Stream(r.Seed, "sample")
	err = support.DrawInside(out.Values, m, func(rows []float64) {
		support.DrawGiven(rows, m, given)
		s.Sample(rows, theta, drawn)
	})
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(out.Values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return nil, fmt.Errorf("draws of %s are not finite numbers with these parameters", info.Target)
	}
	if !defined(m, theta, out) {
		return nil, fmt.Errorf("these parameters, with defaults for those not set, are outside the domain of %s: it has no density at the draws", info.Target)
	}
	return out, nil
}

// defined reports whether the target has a density at its own draws: parameters may meet their types and yet not go
// together. Models that are no Objectives have parameters that are numbers, which always do.
func defined(m runtime.Model, theta []float64, d *Draws) bool {
	f, ok := m.(runtime.Objective)
	if _, other := m.(runtime.Variational); other { // whose data are other ones
		return true
	}
	if !ok || m.SetData(runtime.Data{Values: d.Values, Columns: len(d.Columns)}) != nil {
		return true // perhaps a draw was rounded to the end of its range
	}
	return !math.IsNaN(f.ThetaGradient(make([]float64, len(theta)), theta))
}

// columns names the numbers of a row, those of the variable and then of what is given.
func columns(m runtime.Model) []string {
	var names []string
	for _, p := range m.Info().Record() {
		names = append(names, entryColumns(m, &p)...)
	}
	return names
}

// entryColumns names the numbers of a part of a row: x for a number, x1, x2, ... for a vector, x1_1, x1_2, ... for a matrix.
func entryColumns(m runtime.Model, v *runtime.Parameter) []string {
	names := []string{v.Name}
	for i, d := range v.Shape {
		var longer []string
		for _, name := range names {
			for k := range d.Len(m) {
				longer = append(longer, fmt.Sprintf("%s%s%d", name, []string{"", "_"}[min(i, 1)], k+1))
			}
		}
		names = longer
	}
	return names
}

// resize finds the lengths of the dimensions.
func resize(m runtime.Model, r *SampleRequest) error {
	info := m.Info()
	sizes := make([]int, len(info.Dims))
	k := slices.Index(info.Dims, info.Components)
	switch {
	case r.Components > 0 && k < 0:
		if err := SetComponents(m, r.Components); err != nil {
			return err
		}
	case r.Components > 0:
		sizes[k] = r.Components
	}
	if len(info.Dims) == 0 {
		return fits(info, nil)
	}
	for _, v := range r.Set {
		if err := measure(info, sizes, v); err != nil {
			return err
		}
	}
	for i := range sizes {
		if sizes[i] == 0 && i == k {
			return noComponents(info)
		}
		if sizes[i] == 0 {
			sizes[i] = r.Fallback
		}
		if sizes[i] == 0 && !ofTarget(info, info.Dims[i]) {
			sizes[i] = 1 // of data, which draws do not depend on
		}
		if sizes[i] == 0 {
			return fmt.Errorf("the dimension %[1]s has no length: set it, as in %[1]s=10", info.Dims[i])
		}
	}
	if err := fits(info, sizes); err != nil {
		return err
	}
	return m.Resize(sizes)
}

// ofTarget reports whether a dimension is one of the target: those of the data of a variational objective need not be.
func ofTarget(info *runtime.Info, dim string) bool {
	has := func(p runtime.Parameter) bool {
		return slices.ContainsFunc(p.Shape, func(d runtime.Dim) bool { return d.Name == dim })
	}
	return dim == info.Components || slices.ContainsFunc(info.Record(), has) || slices.ContainsFunc(info.Parameters, has)
}

// Room reports data of so many columns, or a mixture of so many components, that the parameters would not fit into memory.
func Room(info *runtime.Info, columns, components int) error {
	sizes := make([]int, len(info.Dims))
	for i, name := range info.Dims {
		sizes[i] = 1
		switch {
		case slices.ContainsFunc(info.Record(), func(p runtime.Parameter) bool { return len(p.Shape) == 1 && p.Shape[0].Name == name }):
			sizes[i] = max(columns, 1)
		case name == info.Components:
			sizes[i] = max(components, 1)
		}
	}
	return fits(info, sizes)
}

const (
	// mostEntries is the number of entries of a parameter above which its model is not made: a model needs a dozen matrices of
	// the size of the largest, here of 1 GiB.
	mostEntries = 1 << 27
	// blockRows is how many rows generated code works on at a time: so many observations must fit as well.
	blockRows = 256
)

// fits reports parameters or observations that would not fit into memory, which a program cannot recover from.
func fits(info *runtime.Info, sizes []int) error {
	for i, p := range append(info.Record(), info.Parameters...) {
		entries, most := 1.0, mostEntries
		if i < len(info.Record()) {
			most /= blockRows
		}
		for _, d := range p.Shape {
			n := d.Size
			if i := slices.Index(info.Dims, d.Name); d.Name != "" && i >= 0 {
				n = sizes[i]
			}
			entries *= float64(n)
		}
		if entries > float64(most) {
			return fmt.Errorf("%s would have %.3g entries, which is more than there is memory for: at most %d", p.Name, entries, most)
		}
	}
	return nil
}

// mostDrawn is how many numbers are drawn at most: 2 GiB of them.
const mostDrawn = 1 << 28

// drawable reports draws that would not fit into memory.
func drawable(rows, width int) error {
	if float64(rows)*float64(width) > mostDrawn {
		return fmt.Errorf("%d draws of %d numbers are more than there is memory for: at most %d numbers", rows, width, mostDrawn)
	}
	return nil
}

// measure takes the lengths that a value tells.
func measure(info *runtime.Info, sizes []int, v Value) error {
	if i := slices.Index(info.Dims, v.Name); i >= 0 {
		n := int(v.Value)
		if v.Shape != nil || float64(n) != v.Value || n < 1 {
			return fmt.Errorf("%s is a dimension: its value must be a whole number, 1 or more", v.Name)
		}
		return agree(info, sizes, i, n, v.Name)
	}
	p := parameter(info, v.Name)
	if p == nil {
		return nil // applySet says what is wrong
	}
	lengths := p.Shape
	switch {
	case p.Components && len(v.Shape) == len(p.Shape)-1:
		lengths = p.Shape[1:] // the same for all components
	case multiples(p, v.Shape):
		lengths = p.Shape[:1]
	}
	if len(lengths) != len(v.Shape) {
		return nil
	}
	for k, d := range lengths {
		if i := slices.Index(info.Dims, d.Name); d.Name != "" && i >= 0 {
			if err := agree(info, sizes, i, v.Shape[k], v.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// agree notes a length, unless there is another already.
func agree(info *runtime.Info, sizes []int, i, n int, by string) error {
	if sizes[i] != 0 && sizes[i] != n {
		return fmt.Errorf("the dimension %s is %d by %s, but %d by another value", info.Dims[i], n, by, sizes[i])
	}
	sizes[i] = n
	return nil
}

func parameter(info *runtime.Info, name string) *runtime.Parameter {
	for i := range info.Parameters {
		if info.Parameters[i].Name == name {
			return &info.Parameters[i]
		}
	}
	return nil
}

// multiples reports whether a value of this shape is a multiple of the identity for each component of a mixture.
func multiples(p *runtime.Parameter, shape []int) bool {
	return p.Components && len(p.Shape) == 3 && len(shape) == 1
}

// applySet writes what was set over the parameters.
func applySet(m runtime.Model, theta []float64, set []Value) error {
	info := m.Info()
	for _, v := range set {
		if slices.Contains(info.Dims, v.Name) {
			continue
		}
		at := 0
		for i := range info.Parameters {
			p := &info.Parameters[i]
			if p.Name != v.Name {
				at += p.Len(m)
				continue
			}
			if err := assignEach(m, p, theta[at:at+p.Len(m)], v); err != nil {
				return err
			}
			at = -1
			break
		}
		if at >= 0 {
			return fmt.Errorf("%s has no parameter %q: it has %s", info.Target, v.Name, known(info))
		}
	}
	return nil
}

// known lists what can be set.
func known(info *runtime.Info) string {
	var names []string
	for _, p := range info.Parameters {
		typ := p.Written()
		if p.Components {
			typ += " of each component"
		}
		names = append(names, p.Name+" ("+typ+")")
	}
	return strings.Join(append(names, info.Dims...), ", ")
}

// defaults returns the default parameters; those that the map sets to a number have that number where the model tells it.
func defaults(m runtime.Model) []float64 {
	theta := make([]float64, thetaLen(m))
	at := 0
	for i := range m.Info().Parameters {
		p := &m.Info().Parameters[i]
		one, count, each := parts(m, p)
		for range count {
			one.Default(theta[at:at+each], m)
			at += each
		}
	}
	if u := m.Unconstrained(); u != nil {
		x := make([]float64, u.Dim())
		u.FromTheta(x, theta)
		u.Theta(theta, x)
	}
	return theta
}

// spread moves the components of a mixture apart: entries that are real by 4 times the number c of the component, matrices
// by a factor of it, what is between 0 and 1 to equal distances. Positive numbers are 5 c, 5 sqrt(c) and so on, so that
// their ratios differ too; at 5 degrees of freedom a target has its first moments. Directions are those of the axes.
func spread(m runtime.Model, theta []float64) {
	at, positive := 0, 0.0
	for i := range m.Info().Parameters {
		p := &m.Info().Parameters[i]
		one, count, each := parts(m, p)
		if p.Components && len(p.Shape) == 1 && p.Type.Entry == types.Positive {
			positive++
		}
		for c := range count {
			if own := theta[at : at+each]; p.Components && !p.Known {
				spreadOne(&one, own, float64(c+1), float64(count), 1/max(positive, 1))
			}
			at += each
		}
	}
}

// alongAxis makes a vector the direction of an axis, one for each number, then the opposite ones.
func alongAxis(x []float64, c int) {
	clear(x)
	x[c%len(x)] = 1 - 2*float64(c/len(x)%2)
}

func spreadOne(p *runtime.Parameter, x []float64, c, count, power float64) {
	if p.Type.Form.Has(types.UnitLength) {
		alongAxis(x, int(c)-1)
		return
	}
	for i := range x {
		switch form, entry := p.Type.Form, p.Type.Entry; {
		case form.Has(types.PositiveDiagonal) && !form.Has(types.UnitDiagonal):
			x[i] *= c
		case entry == types.Positive && p.Shape == nil:
			x[i] = 5 * math.Pow(c, power)
		case entry == types.Positive:
			x[i] *= c
		case entry == types.Unit && p.Shape == nil:
			x[i] = c / (count + 1)
		case entry == types.Real && form.Rank < 2:
			x[i] = 4 * c
		}
	}
}

// assignEach writes a value to a parameter, or to that of each component of a mixture: the same to all, or one to each.
func assignEach(m runtime.Model, p *runtime.Parameter, dst []float64, v Value) error {
	if !p.Components {
		return assign(m, p, dst, v)
	}
	one, count, each := parts(m, p)
	want := shape(m, p)
	whole := slices.Equal(want, v.Shape)
	if !whole && !multiples(p, v.Shape) && v.Shape != nil && !slices.Equal(want[1:], v.Shape) {
		return fmt.Errorf("%s of all %d components is %s, the value is %s", p.Name, count, inWords(want), inWords(v.Shape))
	}
	for c := range count {
		own := v
		switch {
		case whole:
			own = component(&one, v, c, count)
		case multiples(p, v.Shape) && v.Shape[0] != count:
			return fmt.Errorf("%s has %d values for %d components", p.Name, v.Shape[0], count)
		case multiples(p, v.Shape):
			own = Value{Name: v.Name, Value: v.Entries[c]}
		}
		if err := assign(m, &one, dst[c*each:(c+1)*each], own); err != nil {
			return fmt.Errorf("component %d: %w", c+1, err)
		}
	}
	return nil
}

// component cuts the value of one component out of those of all.
func component(p *runtime.Parameter, v Value, c, count int) Value {
	each := len(v.Entries) / count
	own := v.Entries[c*each : (c+1)*each]
	if p.Shape == nil {
		return Value{Name: v.Name, Value: own[0]}
	}
	return Value{Name: v.Name, Shape: v.Shape[1:], Entries: own}
}

// assign writes a value to the entries of a parameter.
func assign(m runtime.Model, p *runtime.Parameter, dst []float64, v Value) error {
	want := shape(m, p)
	switch {
	case slices.Equal(want, v.Shape):
		copy(dst, v.Entries)
		if want == nil {
			dst[0] = v.Value
		}
	case v.Shape == nil:
		p.Default(dst, m)
		for i := range dst {
			if !p.Type.Form.Has(types.PositiveDiagonal) || dst[i] != 0 {
				dst[i] = v.Value
			}
		}
	default:
		return fmt.Errorf("%s is %s, the value is %s", p.Name, inWords(want), inWords(v.Shape))
	}
	return checkValue(m, p, dst)
}

// inWords describes a shape.
func inWords(shape []int) string {
	switch len(shape) {
	case 0:
		return "a number"
	case 1:
		return fmt.Sprintf("a vector of %d", shape[0])
	case 3:
		return fmt.Sprintf("%d matrices of %d x %d", shape[0], shape[1], shape[2])
	}
	return fmt.Sprintf("a matrix of %d x %d", shape[0], shape[1])
}

// checkValue checks that a parameter is of its type.
func checkValue(m runtime.Model, p *runtime.Parameter, x []float64) error {
	entry := p.Type.Entry
	if p.Type.Form.Has(types.SumsToOne) && len(x) == 1 {
		entry = types.Positive
	}
	for _, v := range x {
		if !entry.Contains(v) {
			return fmt.Errorf("%s = %v is not %s", p.Name, v, entry.Want)
		}
	}
	if err := p.Type.Form.Check(x, p.Side(m), p.Name); err != nil {
		return err
	}
	var chol mat.Cholesky
	if p.Type.Form.Has(types.PositiveDefinite) && !chol.Factorize(mat.NewSymDense(p.Side(m), x)) {
		return fmt.Errorf("%s is not positive definite", p.Name)
	}
	return nil
}
