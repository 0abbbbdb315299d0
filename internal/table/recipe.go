package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Recipe says of which columns of a file the columns of a table are made, so that the same can be made of another file.
type Recipe struct {
	Columns []Made `json:"columns"`
	// Levels are the labels of the columns of categories, by the names of the columns, in their order: the first is the reference.
	Levels map[string][]string `json:"levels,omitempty"`
	// Numbered is true of a file without a header, whose columns are called by their numbers, from 1.
	Numbered bool `json:"numbered,omitempty"`
}

// Made is a column: the product of its factors, 1 where there are none.
type Made struct {
	Name string   `json:"name"`
	Of   []Factor `json:"of"`
	// Numbers is what stands for each label of the one column of labels that it is made of.
	Numbers []float64 `json:"numbers,omitempty"`
}

// Factor is a column of a file, an indicator of one of its labels, or what is computed from columns.
type Factor struct {
	Column   string  `json:"column"`
	Level    *string `json:"level,omitempty"`
	Computed bool    `json:"computed,omitempty"` // Column is a function of columns: log(age)
}

// Recipe returns that of a table.
func (t *Table) Recipe() Recipe {
	if t.from != nil {
		return t.from.RecipeOf(t.made)
	}
	var made []Column
	for k, name := range t.Columns {
		made = append(made, Column{Name: name, Of: []int{k}, Level: []int{-1}})
	}
	return t.RecipeOf(made)
}

// RecipeOf is that of columns made of those of the table.
func (t *Table) RecipeOf(made []Column) Recipe {
	out := Recipe{Numbered: !t.Header}
	for _, c := range made {
		one := Made{Name: c.Name, Of: []Factor{}, Numbers: c.Numbers}
		for i, k := range c.Of {
			f := Factor{Column: t.reference(k), Computed: t.computed[k]}
			level := c.Level[i]
			if level >= 0 {
				f.Level = &t.Levels[k][level]
			}
			if level >= 0 || c.Numbers != nil {
				if out.Levels == nil {
					out.Levels = map[string][]string{}
				}
				out.Levels[f.Column] = t.Levels[k]
			}
			one.Of = append(one.Of, f)
		}
		out.Columns = append(out.Columns, one)
	}
	return out
}

// reference is what leads to a column in another file: its name, or its number where there is no header.
func (t *Table) reference(k int) string {
	if t.Header || t.computed[k] {
		return t.Columns[k]
	}
	return strings.TrimPrefix(t.Columns[k], "column ")
}

// Part is the recipe of some of the columns.
func (r Recipe) Part(from, to int) Recipe {
	out := Recipe{Columns: r.Columns[from:to], Numbered: r.Numbered}
	for name, levels := range r.Levels {
		if slices.ContainsFunc(out.Columns, func(c Made) bool {
			return slices.ContainsFunc(c.Of, func(f Factor) bool { return f.Column == name })
		}) {
			if out.Levels == nil {
				out.Levels = map[string][]string{}
			}
			out.Levels[name] = levels
		}
	}
	return out
}

// Choose sets the options that read the columns of the recipe.
func (r Recipe) Choose(o *Options) {
	o.Terms, o.Columns, o.Levels = true, nil, r.Levels
	if o.Levels == nil {
		o.Levels = map[string][]string{}
	}
	for _, c := range r.Columns {
		for _, f := range c.Of {
			for _, name := range f.columns() {
				if !slices.Contains(o.Columns, name) {
					o.Columns = append(o.Columns, name)
				}
			}
		}
	}
}

// columns are those of the file that a factor needs.
func (f *Factor) columns() []string {
	if !f.Computed {
		return []string{f.Column}
	}
	c, err := ParseComputed(f.Column)
	if err != nil { // which Valid reports
		return nil
	}
	return c.Columns
}

// place returns where in a table that was read with these options the column of a factor is, which it adds if it is computed.
func (f *Factor) place(t *Table, o *Options) (int, error) {
	var of []int
	for _, name := range f.columns() {
		which := t.Terms[slices.Index(o.Columns, name)]
		if len(which) != 1 {
			return 0, &Error{Name: t.Name, Text: fmt.Sprintf("%q is not one column here, but %d", name, len(which))}
		}
		of = append(of, which[0])
	}
	if !f.Computed {
		return of[0], nil
	}
	if k := slices.Index(t.Columns, f.Column); k >= 0 && t.computed[k] {
		return k, nil
	}
	c, err := ParseComputed(f.Column)
	if err != nil {
		return 0, err
	}
	at, err := t.Add([]*Computed{c}, [][]int{of})
	if err != nil {
		return 0, err
	}
	return at[0], nil
}

// Make makes the columns of the recipe of a table that was read with the options of Choose.
func (r Recipe) Make(t *Table) (*Table, error) {
	var o Options
	r.Choose(&o)
	var columns []Column
	for _, c := range r.Columns {
		one := Column{Name: c.Name, Numbers: c.Numbers}
		for _, f := range c.Of {
			k, err := f.place(t, &o)
			if err != nil {
				return nil, err
			}
			level := -1
			if f.Level != nil {
				if level = slices.Index(r.Levels[f.Column], *f.Level); level < 0 {
					return nil, fmt.Errorf("the recipe of %s has a level %q of %s that is not listed", c.Name, *f.Level, f.Column)
				}
			}
			one.Of, one.Level = append(one.Of, k), append(one.Level, level)
		}
		columns = append(columns, one)
	}
	return t.Arrange(columns)
}

// Valid reports a recipe that nobody has written.
func (r Recipe) Valid() error {
	if len(r.Columns) == 0 {
		return fmt.Errorf("no columns are named")
	}
	for _, c := range r.Columns {
		if c.Numbers != nil && (len(c.Of) != 1 || len(c.Numbers) != len(r.Levels[c.Of[0].Column])) {
			return fmt.Errorf("%s has not a number for each level", c.Name)
		}
		for _, f := range c.Of {
			if f.Computed {
				if _, err := ParseComputed(f.Column); err != nil {
					return err
				}
				continue
			}
			if _, err := strconv.Atoi(f.Column); f.Column == "" || r.Numbered && err != nil {
				return fmt.Errorf("%q is no column", f.Column)
			}
		}
	}
	return nil
}

// Insert returns the table with the columns of a recipe, of which those that are given have one value in all rows; numbers of columns
// are those of the recipe plus offset. The others are the columns of the table, in order.
func (t *Table) Insert(columns []Made, offset int, given map[int]float64) *Table {
	out := *t
	out.Columns, out.Values, out.cells, out.made, out.from = nil, nil, nil, nil, nil
	width := len(t.Columns)
	var at []int32
	for row := range t.Rows() {
		next := row * width
		for k := range columns {
			if x, ok := given[k+offset]; ok {
				out.Values, at = append(out.Values, x), append(at, 0)
				continue
			}
			out.Values, at = append(out.Values, t.Values[next]), append(at, t.cell(next))
			next++
		}
	}
	if t.cells != nil {
		out.cells = at
	}
	for _, c := range columns {
		out.Columns = append(out.Columns, c.Name)
	}
	return &out
}
