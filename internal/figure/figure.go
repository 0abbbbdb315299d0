// Package figure makes pictures of fits: it turns reports, data and what was asked for beside a report into panels of package
// picture. It knows observations by their types alone, and takes densities, draws and courses of runs as the engine gives them.
package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Subject is what was fitted to which data.
type Subject struct {
	Problem string
	// Columns are the names of the numbers of an observation: those of the file, or of the spec.
	Columns []string
	// Given is true of data with other columns than the variable: there is a density for every row. Number is then whether the variable
	// is one number, the first of a row.
	Given, Number bool
	// Sequence is true where the density of a row depends on the rows in front of it.
	Sequence bool
	// Entries is what each of them is. Where they differ it is nil, and Each has one for every column.
	Entries *types.Entry
	Each    []*types.Entry
	// Form is that of an observation; of several variables types.Vector. Any point of the ranges of a vector's entries has a density: of
	// a simplex, say, nearly none has. Rows of symmetric and triangular matrices have all entries or those of the lower triangle.
	Form *types.Form
	Data runtime.Data
	// Timed asks for the loss against seconds too, which makes pictures of the same fit differ.
	Timed bool
}

const (
	// densityPoints is how many places a curve has, beside those of the data; fieldPoints how many to a side a field of contours.
	densityPoints = 400
	dataPoints    = 200
	fieldPoints   = 60
	// fittedDraws stand for the fitted distribution of vectors, fewer where that would be more than mostNumbers.
	fittedDraws = 40_000
	leastFitted = 1000
	mostNumbers = 4_000_000
	// envelopeDraws is about how many numbers are drawn for the envelope of a quantile plot, and the numbers of data sets.
	envelopeDraws = 1_000_000
	leastSets     = 19
	mostSets      = 199
	mostEnvelope  = 50_000 // rows, above which the draws are of one large data set
	// scoredDraws are those whose log-densities are compared with those of as many rows, more where these are few.
	scoredDraws    = 4000
	mostSetsScored = 20_000
	// A log-density of d numbers may take d^3 operations. Where fewer than leastScored are affordable there are none.
	scoredWork  = 1e9
	leastScored = 50
)

// Request is what pictures of a likelihood need to know, with traces of the runs.
func (s *Subject) Request(profile []string) estimate.DetailRequest {
	r := estimate.DetailRequest{Trace: true, Profile: profile}
	if s.ordered() {
		r.Conditional.Rows = s.Data.Values
		return r
	}
	if !s.Given {
		r.Rows, r.Columns = s.rows(), s.Data.Columns
	}
	switch {
	case s.regressed():
		s.conditional(&r)
	case s.Given, s.rowsOf() == 0:
	case s.number() && s.discrete():
	case s.number():
		r.Draws = s.sets() * s.setSize()
	default:
		r.Draws = max(leastFitted, min(fittedDraws, mostNumbers/s.width()))
		if n := s.scored(); n > 0 && !s.discrete() { // of whole numbers there are few values
			r.Scored = min(r.Draws, n*mostSetsScored/scoredDraws, max(n, 2*leastSets*len(s.spread(n))))
		}
	}
	return r
}

// ordered reports whether rows are shown in their order.
func (s *Subject) ordered() bool {
	return s.Sequence && s.Number && s.rowsOf() > 0 && s.Data.Weights == nil
}

func (s *Subject) number() bool { return s.width() == 1 }
func (s *Subject) width() int   { return max(s.Data.Columns, 1) }
func (s *Subject) rowsOf() int  { return len(s.Data.Values) / s.width() }
func (s *Subject) discrete() bool {
	return !slices.ContainsFunc(s.entries(), func(e *types.Entry) bool { return !e.Integer })
}

// entries are what the columns are, or one for all of them.
func (s *Subject) entries() []*types.Entry {
	if s.Each != nil {
		return s.Each
	}
	return []*types.Entry{s.Entries}
}

// entry is what a column is.
func (s *Subject) entry(c int) *types.Entry {
	if s.Each != nil {
		return s.Each[c]
	}
	return s.Entries
}

// whole reports whether a column has whole numbers.
func (s *Subject) whole(c int) bool { return s.entry(c).Integer }

// total is the sum of the weights.
func (s *Subject) total() float64 {
	sum := 0.0
	for i := range s.rowsOf() {
		sum += s.Data.Weight(i)
	}
	return sum
}

// column takes the numbers of a column that have a weight, in ascending order.
func (s *Subject) column(c int) *sample {
	x, w := make([]float64, 0, s.rowsOf()), make([]float64, 0, s.rowsOf())
	for i := range s.rowsOf() {
		if s.Data.Weight(i) > 0 {
			x, w = append(x, s.Data.Values[i*s.width()+c]), append(w, s.Data.Weight(i))
		}
	}
	return newSample(x, w)
}

// label is the name of a column.
func (s *Subject) label(c int) string {
	if c < len(s.Columns) {
		return s.Columns[c]
	}
	return fmt.Sprintf("column %d", c+1)
}

// support are the ends of the range of a column, which are no values of it.
func (s *Subject) support(c int) (low, high float64) {
	return s.entry(c).Lo, s.entry(c).Hi
}

// rows are where the density is wanted: of a number along a line, of a pair on a grid, and then those of the data that are
// compared with draws.
func (s *Subject) rows() []float64 {
	switch {
	case s.rowsOf() == 0:
		return nil
	case s.number() && s.discrete():
		return s.column(0).integers()
	case s.number():
		return s.line()
	case s.paired():
		g := s.grid()
		return append(g.rows(), s.compared()...)
	}
	return s.compared()
}

// paired reports whether an observation is a pair of numbers with a density at every point.
func (s *Subject) paired() bool {
	return s.width() == 2 && s.Form == types.Vector && !s.whole(0) && !s.whole(1)
}

// scored is of how many rows, at most, log-densities are compared with those of draws.
func (s *Subject) scored() int {
	d := float64(s.width())
	if n := scoredWork / (d * d * d); n < scoredDraws {
		if n < leastScored {
			return 0
		}
		return int(n)
	}
	return scoredDraws
}

// compared are rows of the data, all or some in equal distances, whose log-densities are wanted.
func (s *Subject) compared() (rows []float64) {
	for _, i := range s.spread(s.scored()) {
		rows = append(rows, s.Data.Values[i*s.width():(i+1)*s.width()]...)
	}
	return rows
}

// spread are the numbers of rows in equal distances, at most so many, of those that have a weight.
func (s *Subject) spread(most int) (which []int) {
	var all []int
	for i := range s.rowsOf() {
		if s.Data.Weight(i) > 0 {
			all = append(all, i)
		}
	}
	if len(all) <= most {
		return all
	}
	for i := range most {
		which = append(which, all[i*len(all)/most])
	}
	return which
}

// line is where the density of a number is wanted: in equal distances over the range that is shown, and at places of the data,
// which are dense where a density may be narrow.
func (s *Subject) line() []float64 {
	x := s.column(0)
	low, high := s.shown(0, x)
	var at []float64
	for i := range densityPoints {
		at = append(at, low+(high-low)*float64(i)/(densityPoints-1))
	}
	for i := range dataPoints {
		if q := x.quantile((float64(i) + 0.5) / dataPoints); q > low && q < high {
			at = append(at, q)
		}
	}
	at = slices.DeleteFunc(at, func(x float64) bool { return slices.Contains(s.entry(0).Atoms, x) }) // where there is no density
	slices.Sort(at)
	return slices.Compact(at)
}

// shown is the range of a column that is shown: all of it with some room, but for a few rows that are far off, inside the range of
// its type.
func (s *Subject) shown(c int, x *sample) (low, high float64) {
	low, high = x.core()
	room := 0.08 * (high - low)
	if room == 0 {
		room = 0.5 * math.Max(math.Abs(low), 1)
	}
	least, most := s.support(c)
	tiny := 1e-3 * (high - low + room)
	if low, high = low-room, high+room; low <= least {
		low = least + math.Min(tiny, (x.x[0]-least)/2)
	}
	if high >= most {
		high = most - math.Min(tiny, (most-x.x[len(x.x)-1])/2)
	}
	return low, high
}

// setSize is how many rows a data set has that is drawn to compare quantiles with, sets how many of them there are.
func (s *Subject) setSize() int {
	if n := math.Round(s.total()); n >= 1 && n <= mostEnvelope {
		return int(n)
	}
	return envelopeDraws
}

func (s *Subject) sets() int {
	if s.setSize() == envelopeDraws {
		return 1
	}
	return max(leastSets, min(mostSets, envelopeDraws/s.setSize()))
}

// Likelihood makes the pictures of a fit.
func Likelihood(s *Subject, r *estimate.Report) (panels []picture.Panel) {
	d := r.Details
	if d == nil || s.rowsOf() == 0 {
		return nil
	}
	switch {
	case s.ordered():
		panels = append(panels, sequence(s, r)...)
	case s.regressed():
		panels = append(panels, regression(s, r)...)
	case s.Given:
	case s.number() && s.discrete():
		panels = append(panels, counts(s, r)...)
	case s.number():
		panels = append(panels, density(s, r)...)
		panels = append(panels, quantiles(s, r)...)
	default:
		panels = append(panels, pairs(s, r)...)
		panels = append(panels, scores(s, r)...)
	}
	for i := range d.Profiles {
		panels = append(panels, profile(&d.Profiles[i]))
	}
	return append(panels, losses(r, s.Timed)...)
}
