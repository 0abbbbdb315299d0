package check

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// part is one of the variables that a density is about: some of the entries of an observation.
type part struct {
	sym           *expr.Node
	kind          expr.Kind
	rows, columns int
}

func (p part) entries() int { return p.rows * p.columns }

// partsOf are the variables of a density, at the lengths of the dimensions that are looked at.
func (c *checker) partsOf(d density) []part {
	out := make([]part, len(d.about))
	for i, q := range d.about {
		out[i] = part{sym: q.Sym, kind: narrowed(q.Sym, q.Kind, d.support)}
		out[i].rows, out[i].columns = c.shape(q.Sym.Type)
	}
	return out
}

// entries is how many numbers an observation has.
func (d density) entries() int {
	n := 0
	for _, p := range d.parts {
		n += p.entries()
	}
	return n
}

// bind gives an environment observations, whose entries lie one after the other.
func (d density) bind(env *eval.Env, xs []float64) {
	width, at := d.entries(), 0
	n := len(xs) / width
	env.Bind(d.parts[0].sym.Name, xs[:n], nil) // sets the weights
	for _, p := range d.parts {
		if p.sym.Type.Rank == 0 {
			column := make([]float64, n)
			for i := range column {
				column[i] = xs[i*width+at]
			}
			env.Symbols[p.sym.Name] = eval.Value{Rows: column}
		} else {
			list := make([]*mat.Dense, n)
			for i := range list {
				list[i] = mat.NewDense(p.rows, p.columns, xs[i*width+at:i*width+at+p.entries()])
			}
			env.Symbols[p.sym.Name] = eval.CoreRows(list)
		}
		at += p.entries()
	}
}

// totalOfRecord is the mass of a density of several variables: a sum over whole numbers, of integrals where there is one other number.
// With more of these, or where the sum has too many terms, it is sampled.
func (d density) totalOfRecord(f logFunc) mass {
	var caps []float64 // of the whole numbers
	var whole, others []int
	var last expr.Kind // of the others
	at := 0
	for _, p := range d.parts {
		for range p.entries() {
			if p.kind.Integer {
				whole, caps = append(whole, at), append(caps, p.kind.Range.Hi)
			} else {
				others, last = append(others, at), p.kind
			}
			at++
		}
	}
	var m mass
	switch len(others) {
	case 0:
		f := d.signed(f)
		m.value, m.ok = shells(func(cells []float64) (float64, bool) { return sumExp(f, cells) }, caps, maxLattice)
	case 1:
		f := d.signed(f)
		for _, width := range []float64{2, 0.7} { // a result that is not 1 is believed when other panels confirm it
			slice := func(cells []float64) (float64, bool) {
				return integrals(f, cells, whole, others[0], last, width)
			}
			before := m
			if m.value, m.ok = shells(slice, caps, maxIntegrals); !m.ok || math.Abs(m.value-1) <= massTolerance {
				break
			}
			if before.ok && math.Abs(m.value-before.value) > massTolerance/10*m.value {
				m.ok = false
			}
		}
	}
	if m.ok {
		return m
	}
	return d.sampledTwice(f)
}

// integrals is the sum of the integrals over one number of an observation, whose other entries are those of the cells: whole numbers, at
// their places.
func integrals(f logFunc, cells []float64, places []int, at int, kind expr.Kind, width float64) (float64, bool) {
	n, sum, c := len(places), 0.0, smoothChart(kind)
	for ; len(cells) > 0; cells = cells[n:] {
		var along logFunc = func(ts []float64) ([]float64, bool) {
			xs := make([]float64, len(ts)*(n+1))
			for i, t := range ts {
				row := xs[i*(n+1) : (i+1)*(n+1)]
				for k, place := range places {
					row[place] = cells[k]
				}
				row[at] = t
			}
			return f(xs)
		}
		own, ok := probabilities(along, kind)
		if !ok {
			return sum, false
		}
		along = apart(along, kind.Type.Entry.Atoms, 1)
		value, ok := integrate(along, c, width)
		if !ok && !nowhere(along, c, width) {
			return sum, false
		}
		sum += own + value
	}
	return sum, true
}

// nowhere reports whether a density is 0 at all places that are looked at.
func nowhere(f logFunc, c chart, width float64) bool {
	q := &quadrature{f: f, chart: c}
	_, ok := q.edges(width)
	return !ok && !q.failed && math.IsInf(q.peak, -1)
}

// wholeChart has a whole number for each interval of length 1, from which it is got by leaving out what is behind the point: integrals
// over the real line are sums then.
func wholeChart(r expr.Range) chart {
	if !math.IsInf(r.Hi, 1) {
		r.Hi++
	}
	c := chartOf(r)
	x := c.x
	c.x = func(t float64) float64 { return math.Min(math.Floor(x(t)), r.Hi-1) }
	return c
}

// recordChart puts the charts of the variables one behind the other.
func recordChart(parts []part) vectorChart {
	var charts []vectorChart
	var out vectorChart
	for _, p := range parts {
		one := p.chart()
		charts = append(charts, one)
		out.n, out.entries = out.n+one.n, out.entries+one.entries
	}
	out.observe = func(x, t []float64) (logJacobian float64) {
		for _, c := range charts {
			logJacobian += c.observe(x[:c.entries], t[:c.n])
			x, t = x[c.entries:], t[c.n:]
		}
		return logJacobian
	}
	return out
}

// isSquare reports whether a variable is a square matrix, which has a chart of its own.
func (p part) isSquare() bool { return p.kind.Type.Form.Square() }

// isPoint reports whether there is one value of a variable alone: a correlation matrix of one side.
func (p part) isPoint() bool { return p.kind.Structure&expr.UnitDiagonal != 0 && p.entries() == 1 }
