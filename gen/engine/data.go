package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// knows refuses data of a model of which a length that the data do not have is not known.
func (m *core) knows(given ...string) error {
	if k := m.pkg.Components; k.Name != "" && m.dims[k.Name] == 0 {
		return fmt.Errorf("%s needs its number of components before data: see SetComponents", m.pkg.Info.Name)
	}
	for _, d := range m.pkg.Dims {
		if m.dims[d.Name] == 0 && !slices.Contains(given, d.Name) {
			return fmt.Errorf("the data do not say how long dimension %s is: see Resize, or pin it in the spec", d.Name)
		}
	}
	return nil
}

// columns are rows of data that consist of parts.
type columns struct {
	parts          []bind.Param
	methods.Widths        // of which the length of the unknown dimension follows from how many columns there are
	unknown        string // its name
	// numbered are the dimensions of which the data have numbers of entries, with the places of the parts that have them.
	numbered map[string][]int
}

func columnsOf(parts []bind.Param) columns {
	c := columns{parts: parts, Widths: methods.WidthsOf(parts), numbered: map[string][]int{}}
	c.unknown = c.Unknown.Name
	for k, q := range parts {
		if of := q.Sym.Facts.Index; of.Name != "" {
			c.numbered[of.Name] = append(c.numbered[of.Name], k)
		}
	}
	delete(c.numbered, c.unknown)
	return c
}

// given are the dimensions whose lengths the data say.
func (c *columns) given() []string { return append(slices.Sorted(maps.Keys(c.numbered)), c.unknown) }

// split checks rows and takes them apart; length is that of the unknown dimension.
func (m *core) split(c *columns, d runtime.Data) (rows support.Rows, length int, err error) {
	if c.unknown != "" {
		if length = support.Side(d.Columns, c.Fixed, c.Times, c.Squares); length == 0 {
			return nil, 0, fmt.Errorf("%d columns are not %s", d.Columns, methods.ColumnNames(c.parts))
		}
	}
	var parts []support.Part
	for _, q := range c.parts {
		part := support.Part{Name: q.Name, Type: q.Kind.Type, Width: methods.Width(q.Sym.Type, length), Beyond: q.Sym.Facts.Beyond}
		switch of := q.Sym.Facts.Index; {
		case of == expr.Dim{}:
		case of.Name == c.unknown && of.Name != "":
			part.Levels = length
		default:
			part.Levels = m.dim(of)
		}
		parts = append(parts, part)
	}
	take := support.Split
	if m.pkg.Merged {
		take = support.SplitMerged
	}
	rows, err = take(d, parts)
	return rows, length, err
}

// count finds lengths of which the data have numbers of entries, where nobody has said them, and reports whether there were any.
func (m *core) count(c *columns, rows support.Rows) bool {
	found := false
	for name, parts := range c.numbered {
		if m.dims[name] > 0 {
			continue
		}
		found, m.dims[name] = true, 1
		for _, k := range parts {
			m.dims[name] = max(m.dims[name], rows.Levels(k+1)-c.parts[k].Sym.Facts.Beyond)
		}
	}
	return found
}

// outside returns the index in Info().Support of the first condition that a row of data does not meet, or -1.
func (m *core) outside(row []float64) int {
	if len(m.pkg.Info.Support) == 0 {
		return -1
	}
	u := m.function("Outside")[0]
	if u.set("row", row).run() == violated {
		return u.condition
	}
	return -1
}

// Outside implements runtime.Supported.
func (m *model) Outside(row []float64) int { return m.outside(row) }

// Outside implements runtime.Supported.
func (m *posterior) Outside(row []float64) int { return m.outside(row) }

// inSupport refuses rows outside the support. They are checked by a model of their length, so that this one stays as it is.
func (m *model) inSupport(d runtime.Data, name string, length int) error {
	if len(m.pkg.Info.Support) == 0 {
		return nil
	}
	sized := newModel(m.d, m.pkg)
	sized.measured(m.dims, name, length)
	return support.CheckSupport(d, sized.self.(runtime.Supported))
}

// inSupport is that of a model of likelihoods.
func (m *posterior) inSupport(d runtime.Data, name string, length int) error {
	if len(m.pkg.Info.Support) == 0 {
		return nil
	}
	sized := newPosterior(m.d, m.pkg)
	sized.measured(m.dims, name, length)
	return support.CheckSupport(d, sized.self.(runtime.Supported))
}

// measured gives a new model the lengths of another one, and that of a dimension that the data say.
func (m *core) measured(dims map[string]int, name string, length int) {
	maps.Copy(m.dims, dims)
	if name != "" {
		m.dims[name] = length
	}
}

// takeRows checks and keeps the rows of data that are values of the variable.
func (m *model) takeRows(d runtime.Data) error {
	x := m.d.Problem.Target.Variable
	columns, name := 1, ""
	if t := x.Sym.Type; t.Rank > 0 {
		if columns, name = t.Dims[0].Size, t.Dims[0].Name; name != "" {
			columns = max(d.Columns, 1)
		}
	}
	if err := m.knows(name); err != nil {
		return err
	}
	if err := support.CheckData(d, columns, x.Kind.Type, x.Name); err != nil {
		return err
	}
	if err := m.inSupport(d, name, columns); err != nil {
		return err
	}
	if name != "" && m.dims[name] != columns {
		m.dims[name] = columns
		m.fresh()
	}
	take := support.RowsOf
	if m.pkg.Merged {
		take = support.MergedRowsOf
	}
	rows, err := take(d)
	if err == nil {
		m.rows = rows
	}
	return err
}

// takeRecords checks and keeps the rows of data of several parts.
func (m *model) takeRecords(d runtime.Data) error {
	c := columnsOf(m.d.Problem.Target.Record())
	if err := m.knows(c.given()...); err != nil {
		return err
	}
	if x := m.d.Problem.Target.Variable; methods.Packed(m.d.Problem.Target) {
		var err error
		if d, err = support.Unpacked(d, x.Kind.Type, x.Name); err != nil {
			return err
		}
	}
	rows, length, err := m.split(&c, d)
	if err != nil {
		return err
	}
	if err := m.inSupport(d, c.unknown, length); err != nil {
		return err
	}
	changed := m.count(&c, rows)
	if c.unknown != "" && m.dims[c.unknown] != length {
		m.dims[c.unknown], changed = length, true
	}
	if changed {
		m.fresh()
	}
	m.rows = rows
	return nil
}
