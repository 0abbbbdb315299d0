package specgen

import (
	"fmt"
	"slices"
	"strings"
)

// kind is what values of a type are.
type kind int

const (
	real kind = iota
	positive
	unit
	matrix // of any shape
	spd
	corr
	lower
	simplex
	index // a number of an entry of vectors of its dimension, which varies over the rows
)

// typ is a type of values: a number, a vector or a matrix.
type typ struct {
	kind kind
	rank int
	dims [2]string
}

func number(k kind) typ               { return typ{kind: k} }
func vector(k kind, d string) typ     { return typ{k, 1, [2]string{d}} }
func square(k kind, d string) typ     { return typ{k, 2, [2]string{d, d}} }
func rectangle(rows, cols string) typ { return typ{matrix, 2, [2]string{rows, cols}} }

// symbol is a name that formulas may use.
type symbol struct {
	name string
	typ  typ
}

// formulas draws formulas in symbols. They are finite wherever their symbols are what they are declared to be, or nearly so:
// there is no bound on what they grow to.
type formulas struct {
	r       *reader
	symbols []symbol
	// rows are the symbols that vary over the rows, the variable first, then what is given: no matrix is made of them, which has no
	// code.
	rows []string
	dims []string
}

// has are the symbols of a type.
func (f *formulas) has(t typ) []string {
	var out []string
	for _, s := range f.symbols {
		if s.typ == t || t.kind == matrix && s.typ.kind > matrix && s.typ.rank == 2 && s.typ.dims == t.dims ||
			t.kind == spd && s.typ.kind == corr && s.typ.dims == t.dims || t.kind == positive && s.typ.kind == simplex && s.typ.dims == t.dims {
			out = append(out, s.name)
		}
	}
	return out
}

// without are the same formulas without what varies over the rows.
func (f *formulas) without() *formulas { return f.omitting(f.rows...) }

// omitting are the same formulas without some symbols.
func (f *formulas) omitting(names ...string) *formulas {
	g := *f
	g.symbols = nil
	for _, s := range f.symbols {
		if !slices.Contains(names, s.name) {
			g.symbols = append(g.symbols, s)
		}
	}
	return &g
}

var constants = []string{"1", "2", "0.5", "3", "1.5", "0.25", "4"}

func (f *formulas) dim() (string, bool) {
	if len(f.dims) == 0 {
		return "", false
	}
	return pick(f.r, f.dims), true
}

// of draws a formula of a type. Depth bounds how deep it is.
func (f *formulas) of(t typ, depth int) string {
	if symbols := f.has(t); len(symbols) > 0 && (depth <= 0 || f.r.below(3) == 0) {
		return pick(f.r, symbols)
	}
	if depth <= 0 {
		if made := f.made(t); len(made) > 0 {
			return pick(f.r, made)
		}
	}
	if entry, ok := f.entry(t, depth); ok {
		return entry
	}
	switch t.rank {
	case 0:
		return f.number(t.kind, depth)
	case 1:
		return f.vector(t.kind, t.dims[0], depth)
	}
	return f.matrix(t, depth)
}

// indices are the numbers of entries of vectors of a dimension.
func (f *formulas) indices(d string) []string {
	return f.has(typ{kind: index, dims: [2]string{d}})
}

// entry draws an entry of a vector or a matrix that the data name, or a row of a matrix; ok is false for something else.
func (f *formulas) entry(t typ, depth int) (text string, ok bool) {
	if !slices.ContainsFunc(f.symbols, func(s symbol) bool { return s.typ.kind == index }) {
		return "", false
	}
	d, some := f.dim()
	if !some || depth <= 0 || t.rank > 1 || t.kind != real && t.kind != positive && t.kind != unit {
		return "", false
	}
	indices := f.indices(d)
	if len(indices) == 0 || f.r.below(3) > 0 {
		return "", false
	}
	g := pick(f.r, indices)
	matrix := func(rows, columns string) string {
		return bracket(f.without().of(rectangle(rows, columns), depth-1))
	}
	switch {
	case t.rank == 1 && t.kind == real && f.r.below(2) == 0:
		return matrix(d, t.dims[0]) + "[" + g + ", :]", true
	case t.rank == 1 && t.kind == real:
		return matrix(t.dims[0], d) + "[:, " + g + "]", true
	case t.rank == 1:
		return "", false
	case t.kind == real && f.r.below(4) == 0:
		return bracket(f.of(vector(real, d), depth-1)) + "[" + g + pick(f.r, []string{" + 1]", " - 1]"}), true
	case t.kind == real && f.r.below(4) == 0:
		other := pick(f.r, f.dims)
		if more := f.indices(other); len(more) > 0 {
			return matrix(d, other) + "[" + g + ", " + pick(f.r, more) + "]", true
		}
	}
	return bracket(f.of(vector(t.kind, d), depth-1)) + "[" + g + "]", true
}

// made are the simplest formulas of a type that have a symbol of another type in them.
func (f *formulas) made(t typ) []string {
	var out []string
	for _, s := range f.symbols {
		n := s.name
		switch {
		case s.typ.kind == index:
			continue
		case s.typ.rank == 2 && slices.Contains(f.rows, s.name):
			continue
		case s.typ.rank == 1 && t.rank == 0:
			n = "total(" + n + ")"
		case s.typ.rank == 2 && t.rank == 0 && s.typ.dims[0] == s.typ.dims[1]:
			n = "tr(" + n + ")"
		case s.typ.rank == 2 && t.rank == 1 && s.typ.dims == [2]string{t.dims[0], t.dims[0]}:
			n = "diag(" + n + ")"
		case s.typ.rank == 0 && t.rank == 1:
			n = bracket(n) + "*ones(" + t.dims[0] + ")"
		case s.typ.rank < 2 && t.rank == 2:
			continue
		case s.typ.rank != t.rank || s.typ.dims != t.dims:
			continue
		}
		k := s.typ.kind
		if s.typ.rank == 2 && k == spd {
			k = positive
		}
		if s.typ.rank == 1 && t.rank == 0 && k == unit {
			k = positive
		}
		switch {
		case t.rank == 2 && t.kind != matrix, t.kind == simplex:
			continue
		case t.kind == positive && k != positive && k != unit:
			n = "softplus(" + n + ")"
		case t.kind == unit && k != unit:
			n = "sigmoid(" + n + ")"
		}
		out = append(out, n)
	}
	return out
}

func (f *formulas) number(k kind, depth int) string {
	if depth <= 0 {
		switch k {
		case unit:
			return "0.4"
		case real:
			if weak := append(f.has(number(positive)), f.has(number(unit))...); len(weak) > 0 && f.r.below(2) == 0 {
				return pick(f.r, weak)
			}
		}
		return pick(f.r, constants)
	}
	num := func(k kind) string { return f.of(number(k), depth-1) }
	n, dim := 13, "" // the choices without vectors come first
	if d, ok := f.dim(); ok {
		dim, n = d, 20
	}
	vec := func(k kind) string { return f.of(vector(k, dim), depth-1) }
	switch k {
	case unit:
		switch f.r.below(4) {
		case 0:
			return "sigmoid(" + num(real) + ")"
		case 1:
			return "exp(-" + bracket(num(positive)) + ")"
		case 2:
			return "ndtr(" + num(real) + ")"
		}
		a := num(positive)
		return bracket(a) + "/(" + a + " + " + num(positive) + ")"
	case positive:
		if n > 13 {
			n = 15
		} else {
			n = 10
		}
		switch f.r.below(n) {
		case 0:
			return "(" + num(positive) + " + " + num(positive) + ")"
		case 1:
			return bracket(num(positive)) + "*" + bracket(num(positive))
		case 2:
			return "softplus(" + num(real) + ")"
		case 3:
			return "(" + bracket(num(real)) + "^2 + 0.1)"
		case 4:
			return "sqrt(" + num(positive) + ")"
		case 5:
			return "1/" + bracket(num(positive))
		case 6:
			return "exp(" + num(unit) + ")"
		case 7:
			return "(1 + abs(" + num(real) + "))"
		case 8:
			return num(unit)
		case 9:
			return bracket(num(positive)) + "^1.5"
		case 10:
			return "total(" + vec(positive) + ")"
		case 11:
			v := vec(real)
			return "(0.5 + dot(" + v + ", " + v + "))"
		case 12:
			return "(1 + quad(" + f.without().of(square(spd, dim), depth-2) + ", " + vec(real) + "))"
		case 13:
			return "tr(" + f.without().of(square(spd, dim), depth-1) + ")"
		}
		return dim
	}
	switch f.r.below(n) {
	case 0:
		return difference(num(real), num(real))
	case 1:
		return "(" + num(real) + " + " + num(real) + ")"
	case 2:
		return bracket(num(real)) + "*" + bracket(num(real))
	case 3:
		return "log(" + num(positive) + ")"
	case 4:
		return "lgamma(" + num(positive) + ")"
	case 5:
		return num(positive)
	case 6:
		return "-" + bracket(num(real))
	case 7:
		return "log_sigmoid(" + num(real) + ")"
	case 8:
		return bracket(num(real)) + "/" + bracket(num(positive))
	case 9:
		return "erf(" + num(real) + ")"
	case 10:
		return "log1p(" + num(positive) + ")"
	case 11:
		return f.function(depth)
	case 12:
		return num(unit)
	case 13:
		return "total(" + vec(real) + ")"
	case 14:
		return "dot(" + vec(real) + ", " + vec(real) + ")"
	case 15:
		return "logdet(" + f.without().of(square(spd, dim), depth-1) + ")"
	case 16:
		return "quad(" + f.without().of(square(spd, dim), depth-2) + ", " + vec(real) + ")"
	case 17:
		return "tr(" + f.without().of(square(matrix, dim), depth-1) + ")"
	case 18:
		other := pick(f.r, f.dims)
		return "dot(" + f.of(vector(real, other), depth-1) + ", " + bracket(f.without().of(rectangle(dim, other), depth-2)) + "' @ " + bracket(vec(real)) + ")"
	}
	return "total(log(" + vec(positive) + "))"
}

// function calls one of the functions of the language, a density or a root.
func (f *formulas) function(depth int) string {
	num := func(k kind) string { return f.of(number(k), depth-1) }
	switch f.r.below(14) {
	case 0:
		return "digamma(" + num(positive) + ")"
	case 1:
		return "log_ndtr(" + num(real) + ")"
	case 2:
		return "exp(-abs(" + num(real) + "))"
	case 3:
		return "min(" + num(real) + ", " + num(real) + ")"
	case 4:
		return "abs(" + num(real) + ")"
	case 5:
		return bracket(num(real)) + "^2"
	case 6:
		return "t_logpdf(" + num(real) + ", " + num(positive) + ")"
	case 7:
		return "t_logcdf(" + num(real) + ", " + num(positive) + ")"
	case 8:
		return "lgamma_diff(" + num(positive) + ", " + num(positive) + ")"
	case 9:
		return "normal.logpdf(" + num(real) + "; " + num(real) + ", " + num(positive) + ")"
	case 10:
		return "root(unknown, unknown + exp(unknown) = " + num(real) + ")"
	case 11:
		return "log(" + num(unit) + ")"
	case 12:
		return "exp(" + num(real) + "/4)"
	}
	return "normal_quantile(" + num(unit) + ")"
}

func (f *formulas) vector(k kind, d string, depth int) string {
	if depth <= 0 {
		switch {
		case k == simplex:
			return "ones(" + d + ")/" + d
		case k == unit:
			return "0.4*ones(" + d + ")"
		case k == real && len(f.has(vector(positive, d))) > 0:
			return pick(f.r, f.has(vector(positive, d)))
		}
		return pick(f.r, constants[1:]) + "*ones(" + d + ")" // not 1: the logarithm of ones is 0, which has no shape
	}
	num := func(k kind) string { return f.of(number(k), depth-1) }
	vec := func(k kind) string { return f.of(vector(k, d), depth-1) }
	if d[0] <= '9' && k != simplex && f.r.below(6) == 0 { // of a known length
		return f.list(k, d, depth)
	}
	if k == positive && f.r.below(10) == 0 {
		return "range(" + d + ")/" + d
	}
	switch k {
	case simplex:
		v := bracket(vec(positive))
		return v + "/total(" + v + ")"
	case unit:
		return "sigmoid(" + vec(real) + ")"
	case positive:
		switch f.r.below(8) {
		case 0:
			return bracket(num(positive)) + "*" + bracket(vec(positive))
		case 1:
			return "softplus(" + vec(real) + ")"
		case 2:
			return "(" + vec(positive) + " + " + num(positive) + ")"
		case 3:
			return "(" + bracket(vec(real)) + "^2 + 0.1)"
		case 4:
			return "diag(" + f.without().of(square(spd, d), depth-1) + ")"
		case 5:
			return "1/" + bracket(vec(positive))
		case 6:
			return vec(unit)
		}
		return bracket(vec(positive)) + "*" + bracket(vec(positive))
	}
	switch f.r.below(12) {
	case 11:
		return "exp((" + vec(real) + " + " + num(real) + ")/4)"
	case 0:
		return difference(vec(real), vec(real))
	case 1:
		return bracket(num(real)) + "*" + bracket(vec(real))
	case 2:
		return "(" + vec(real) + " + " + num(real) + ")"
	case 3:
		return f.without().of(square(spd, d), depth-2) + " @ " + bracket(vec(real))
	case 4:
		return "log(" + vec(positive) + ")"
	case 5:
		return bracket(vec(real)) + "*" + bracket(vec(real))
	case 6:
		return "solve(" + f.without().of(square(spd, d), depth-2) + ", " + vec(real) + ")"
	case 7:
		return pick(f.r, []string{"erf(-", "log_sigmoid(", "abs(", "exp(-", "lgamma(1 + ", "exp("}) + bracket(vec(positive)) + ")"
	case 8:
		other := pick(f.r, f.allDims(d))
		return f.without().of(rectangle(d, other), depth-2) + " @ " + bracket(f.of(vector(real, other), depth-1))
	case 9:
		return vec(positive)
	}
	return bracket(vec(real)) + "/" + bracket(vec(positive))
}

// list writes a vector of a known length entry by entry, or its entries in another order.
func (f *formulas) list(k kind, d string, depth int) string {
	length := int(d[0] - '0')
	of := bracket(f.of(vector(k, d), depth-1))
	var items []string
	for range length {
		if f.r.below(3) > 0 {
			items = append(items, fmt.Sprintf("%s[%d]", of, 1+f.r.below(length)))
		} else {
			items = append(items, f.of(number(k), depth-2))
		}
	}
	if length > 1 && f.r.below(3) == 0 {
		return fmt.Sprintf("(%s[2:%d][1]*%s)", of, length, of)
	}
	return "([" + strings.Join(items, ", ") + "])" // in brackets, for YAML
}

func (f *formulas) allDims(d string) []string { return append([]string{d}, f.dims...) }

func (f *formulas) matrix(t typ, depth int) string {
	f = f.without()
	rows, cols := t.dims[0], t.dims[1]
	switch t.kind {
	case corr:
		return "corr(" + f.of(square(spd, rows), depth-1) + ")"
	case lower:
		return "chol(" + f.of(square(spd, rows), depth-1) + ")"
	case spd:
		if depth <= 0 {
			if v := f.has(vector(positive, rows)); len(v) > 0 {
				return "diag(" + pick(f.r, v) + ")"
			}
			if s := f.has(number(positive)); len(s) > 0 {
				return pick(f.r, s) + "*eye(" + rows + ")"
			}
			return "eye(" + rows + ")"
		}
		switch f.r.below(6) {
		case 0:
			return bracket(f.of(number(positive), depth-1)) + "*" + f.of(t, depth-1)
		case 1:
			return "diag(" + f.of(vector(positive, rows), depth-1) + ")"
		case 2:
			v := f.of(vector(real, rows), depth-2)
			return "(eye(" + rows + ") + outer(" + v + ", " + v + "))"
		case 3:
			return "(" + f.of(t, depth-1) + " + " + f.of(t, depth-1) + ")"
		case 4:
			return "inv(" + f.of(t, depth-1) + ")"
		}
		w := bracket(f.of(rectangle(rows, pick(f.r, f.allDims(rows))), depth-2))
		return "(eye(" + rows + ") + " + w + " @ " + w + "')"
	}
	if depth <= 0 {
		return "outer(" + f.of(vector(real, rows), 0) + ", " + f.of(vector(real, cols), 0) + ")"
	}
	if rows == cols && f.r.below(2) == 0 {
		switch f.r.below(2) {
		case 0:
			return f.of(square(spd, rows), depth-1)
		}
		return "chol(" + f.of(square(spd, rows), depth-1) + ")"
	}
	switch f.r.below(4) {
	case 0:
		return "outer(" + f.of(vector(real, rows), depth-1) + ", " + f.of(vector(real, cols), depth-1) + ")"
	case 1:
		return bracket(f.of(number(real), depth-1)) + "*" + f.of(t, depth-1)
	case 2:
		return "(" + f.of(t, depth-1) + " + " + f.of(t, depth-1) + ")"
	}
	return "(" + f.of(square(spd, rows), depth-2) + " @ " + bracket(f.of(t, depth-1)) + ")"
}

// difference is that of two formulas; their sum where they are the same, as 0 is of no shape.
func difference(a, b string) string {
	if a == b {
		return "(" + a + " + " + b + ")"
	}
	return "(" + a + " - " + b + ")"
}

// bracket puts what is no name or call into parentheses.
func bracket(s string) string {
	if strings.HasPrefix(s, "(") && closes(s) == len(s)-1 {
		return s
	}
	if i := strings.IndexAny(s, " +-*/^@'("); i >= 0 && !(s[i] == '(' && i+closes(s[i:]) == len(s)-1) {
		return "(" + s + ")"
	}
	return s
}

// closes is where the parenthesis closes that s begins with.
func closes(s string) int {
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// join is a sum of terms.
func join(terms []string) string { return strings.Join(terms, " + ") }

func indent(format string, args ...any) string { return fmt.Sprintf("  "+format+"\n", args...) }
