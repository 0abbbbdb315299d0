package support

import (
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
)

// CheckSupport returns a *runtime.DataError where rows of data do not meet a condition of the support of a model that knows its sizes. It
// names the first rows, and says how many there are.
func CheckSupport(d runtime.Data, m runtime.Supported) error {
	return Agreed(d.Others, checkSupport(d, m))
}

func checkSupport(d runtime.Data, m runtime.Supported) error {
	width := max(d.Columns, 1)
	var bad *runtime.DataError
	for i := range len(d.Values) / width {
		c := m.Outside(d.Values[i*width : (i+1)*width])
		switch {
		case c < 0:
		case bad == nil:
			bad = &runtime.DataError{Row: i, Value: math.NaN(), Name: "the row", Want: m.Info().Support[c],
				Outside: &runtime.Outside{Rows: []int{i}, Conditions: []string{m.Info().Support[c]}, Count: 1}}
		default:
			if o := bad.Outside; len(o.Rows) < runtime.ShownOutside {
				o.Rows, o.Conditions = append(o.Rows, i), append(o.Conditions, m.Info().Support[c])
			}
			bad.Outside.Count++
		}
	}
	if bad == nil {
		return nil
	}
	return bad
}

// mostRedrawn is how often rows are drawn again that lie outside the support.
const mostRedrawn = 1000

// DrawInside draws rows of data of a model that knows its sizes, and draws those again that lie outside its support, of a sequence all of
// them. The function fills whole rows. Where hardly any draw lies inside there is an error.
func DrawInside(rows []float64, m runtime.Model, draw func(rows []float64)) error {
	draw(rows)
	s, ok := m.(runtime.Supported)
	if !ok {
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
