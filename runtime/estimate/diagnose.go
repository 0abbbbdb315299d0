package estimate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/penalty"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// wentFar is the factor between start and end by which a parameter that is at fault has grown or shrunk, at least.
const wentFar = 100

// nameFaults adds to the message of a run without a maximum which parameters have gone far from where it started, with their
// values, and what is wrong with the data as a whole.
func (rep *Report) nameFaults(m runtime.Model, r *Settings, best *attempt) {
	if rep.Complete() {
		return
	}
	if far := wentFrom(m, r, best); len(far) > 0 {
		var texts []string
		for _, f := range far {
			texts = append(texts, f.text)
		}
		rep.Message += "; from its start to its end " + strings.Join(texts, ", ")
		rep.offerPenalty(m, best.theta, far)
	}
	if equal := equalRows(looked(m, r.Seed)); equal != "" {
		rep.Message += "; " + equal
	}
}

// farGone is a parameter that has gone far, with its values in words, and where its entries are.
type farGone struct {
	text     string
	from, to int
}

// wentFrom lists the parameters that have gone far; those of the components of a mixture are left out, which have no start of
// their own.
func wentFrom(m runtime.Model, r *Settings, best *attempt) (list []farGone) {
	z := make([]float64, dimension(m))
	if componentsOf(m) > 0 || startOf(r, best.start)(m, z) != nil {
		return nil
	}
	start, end := make([]float64, len(best.theta)), best.theta
	m.Theta(start, z)
	at := 0
	for i := range m.Info().Parameters {
		p := &m.Info().Parameters[i]
		n := p.Len(m)
		for _, size := range sizesOf(m, p) {
			a, b := size.of(start[at:at+n]), size.of(end[at:at+n])
			if !p.Known && a > 0 && b >= 0 && (b > wentFar*a || a > wentFar*b) && (size.always || b > 1 && b > a) {
				text := fmt.Sprintf("%s went from %s to %s", fmt.Sprintf(size.name, p.Name), size.text(a), size.text(b))
				list = append(list, farGone{text, at, at + n})
			}
		}
		at += n
	}
	return list
}

// offerPenalty names the penalty where it holds a parameter back that has gone far: where that makes a difference to it.
func (rep *Report) offerPenalty(m runtime.Model, theta []float64, far []farGone) {
	const difference = 0.1 // in log-likelihood
	with, err := penalty.Of(m)
	if err != nil || rep.Penalised {
		return
	}
	for _, f := range far {
		nearer := slices.Clone(theta)
		floats.Scale(0.5, nearer[f.from:f.to])
		if penalty.Value(with, theta)-penalty.Value(with, nearer) > difference {
			rep.Message += "; the spec has a penalty that makes such an estimate finite (Settings.Penalty, fit --penalty)"
			return
		}
	}
}

// sizeOf is a positive number that says where in its domain a parameter is.
type sizeOf struct {
	name   string // with the place of that of the parameter
	of     func(x []float64) float64
	always bool // whether it says something where it falls: a real number may be near 0
	text   func(x float64) string
}

func sizesOf(m runtime.Model, p *runtime.Parameter) []sizeOf {
	number := func(x float64) string { return fmt.Sprintf("%.3g", x) }
	first := func(x []float64) float64 { return x[0] }
	diagonalOf := func(pick func([]float64) float64) func([]float64) float64 {
		d := p.Side(m)
		return func(x []float64) float64 {
			var entries []float64
			for i := range d {
				entries = append(entries, x[i*d+i])
			}
			return pick(entries)
		}
	}
	length := func(x []float64) float64 { return floats.Norm(x, 2) }
	switch form, entry := p.Type.Form, p.Type.Entry; {
	case form.Has(types.PositiveDefinite) && !form.Has(types.UnitDiagonal):
		return []sizeOf{{"the smallest variance of %s", diagonalOf(floats.Min), true, number},
			{"the largest variance of %s", diagonalOf(floats.Max), true, number}}
	case form.Has(types.UnitDiagonal) || form.Structure&(types.SumsToOne|types.RowsSumToOne) != 0:
		return nil
	case p.Shape == nil && entry == types.Unit:
		return []sizeOf{{"%s", first, true, number},
			{"%s", func(x []float64) float64 { return 1 - x[0] }, true, func(x float64) string { return fmt.Sprintf("1 - %.3g", x) }}}
	case p.Shape == nil && entry == types.Positive:
		return []sizeOf{{"%s", first, true, number}}
	case entry == types.Positive:
		return []sizeOf{{"the smallest entry of %s", floats.Min, true, number}, {"the largest entry of %s", floats.Max, true, number}}
	case p.Shape == nil:
		return []sizeOf{{"the size of %s", length, false, number}}
	}
	return []sizeOf{{"the length of %s", length, false, number}}
}

// equalRows says that all rows of the data are the same, if they are and the observations are not discrete.
func equalRows(m runtime.Model) string {
	o, ok := m.(runtime.Observed)
	if !ok || discrete(m) {
		return ""
	}
	d := o.Observations()
	if d.Columns < 1 || len(d.Values) == 0 {
		return ""
	}
	row := d.Values[:d.Columns]
	for i := d.Columns; i < len(d.Values); i += d.Columns {
		if w := d.Weights; !slices.Equal(row, d.Values[i:i+d.Columns]) && (w == nil || w[i/d.Columns] != 0) {
			return ""
		}
	}
	what := "all rows of the data are equal"
	if len(row) == 1 && !math.IsNaN(row[0]) {
		what += fmt.Sprintf(", %.6g", row[0])
	}
	return what + ": a density that can contract on them has no maximum"
}
