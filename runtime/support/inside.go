package support

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/sngdgen/sngdgen/runtime"
)

// CheckSupport returns a *runtime.DataError where rows of data do not meet a condition of the support of a model that knows its sizes. It
// names the first rows, and says how many there are.
func CheckSupport(d runtime.Data, m runtime.Supported) error {
	return Agreed(d.Others, checkSupport(d, m))
}

func checkSupport(d runtime.Data, m runtime.Supported) error {
	width := max(d.Columns, 1)
	conditions := m.Info().Support
	var bad *runtime.DataError
	for i := range len(d.Values) / width {
		c := m.Outside(d.Values[i*width : (i+1)*width])
		if c < 0 || d.Unobserved && mentions(conditions[c], m.Info().Predicted) {
			continue
		}
		if bad == nil {
			bad = &runtime.DataError{Row: i, Value: math.NaN(), Name: "the row", Want: conditions[c], Outside: new(runtime.Outside)}
		}
		if o := bad.Outside; len(o.Rows) < runtime.ShownOutside {
			o.Rows, o.Conditions, o.Columns = append(o.Rows, i), append(o.Conditions, conditions[c]), append(o.Columns, columnsIn(conditions[c], m))
		}
		bad.Outside.Count++
	}
	if bad == nil {
		return nil
	}
	return bad
}

// mentions reports whether a condition names one of some parts of a row.
func mentions(condition string, parts []runtime.Parameter) bool {
	names := strings.FieldsFunc(condition, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	return slices.ContainsFunc(parts, func(p runtime.Parameter) bool { return slices.Contains(names, p.Name) })
}

// columnsIn are the columns of a row that a condition names: those of numbers, as no message shows a vector.
func columnsIn(condition string, m runtime.Model) (out []int) {
	at := 0
	for _, p := range rowOf(m) {
		if p.Shape == nil && mentions(condition, []runtime.Parameter{p}) {
			out = append(out, at)
		}
		at += p.Len(m)
	}
	return out
}

// rowOf are the parts of a row of the data of a model.
func rowOf(m runtime.Model) []runtime.Parameter {
	if m.Info().Data != nil {
		return m.Info().Data
	}
	return m.Info().Record()
}

// mostRedrawn is how often rows are drawn again that lie outside the support.
const mostRedrawn = 1000

// DrawInside draws rows of data of a model that knows its sizes, and draws those again that lie outside its support, of a sequence all of
// them. The function fills whole rows. Where hardly any draw lies inside there is an error.
func DrawInside(rows []float64, m runtime.Model, draw func(rows []float64)) error {
	draw(rows)
	s, ok := m.(runtime.Supported)
	if !ok || m.Info().Data != nil { // draws of a posterior are no rows of its data
		return nil
	}
	width := m.Info().RowLen(m)
	for range mostRedrawn {
		var which []int
		for i := 0; i < len(rows); i += width {
			if s.Outside(rows[i:i+width]) >= 0 {
				which = append(which, i)
			}
		}
		if len(which) == 0 {
			return nil
		}
		if m.Info().Ordered { // whose rows belong together
			draw(rows)
			continue
		}
		again := make([]float64, len(which)*width)
		draw(again)
		for k, i := range which {
			copy(rows[i:i+width], again[k*width:])
		}
	}
	return fmt.Errorf("of %d draws of %s none lies in the support (%s) for some rows", mostRedrawn, m.Info().Target, m.Info().Support[0])
}
