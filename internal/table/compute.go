package table

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Computed is a term that is computed from columns, row by row: log(age), I(dose^2), sqrt(a*b), I(status == 2).
type Computed struct {
	Text    string
	Columns []string // the names in it, each once
	root    operation
}

// operation computes a value from those of the columns.
type operation func(x []float64) float64

// functions are those that terms may have. I is what it is in R: arithmetic is meant.
var functions = map[string]func(float64) float64{
	"I": func(x float64) float64 { return x }, "log": math.Log, "log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p,
	"exp": math.Exp, "expm1": math.Expm1, "sqrt": math.Sqrt, "abs": math.Abs,
}

// Functions are the names of the functions that terms may have.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }

// mostNested is how deep a computed term may be nested.
const mostNested = 50

// ParseComputed reads a function of columns, with + - * / ^, comparisons, which are 1 or 0, and further functions inside.
func ParseComputed(text string) (*Computed, error) {
	p := &termParser{text: text, of: &Computed{Text: text}}
	root, err := p.sum()
	if err == nil && p.blank() < len(text) {
		err = fmt.Errorf("%q is not expected in %s", text[p.at:], text)
	}
	if err != nil {
		return nil, err
	}
	p.of.root = root
	return p.of, nil
}

// termParser reads a term from left to right.
type termParser struct {
	text  string
	at    int
	depth int
	of    *Computed
}

// blank goes over blanks, and returns where it is.
func (p *termParser) blank() int {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
	return p.at
}

// take goes over one of some characters, which it returns; 0 for none.
func (p *termParser) take(of string) byte {
	if i := p.blank(); i < len(p.text) && strings.IndexByte(of, p.text[i]) >= 0 {
		p.at++
		return p.text[i]
	}
	return 0
}

func (p *termParser) sum() (operation, error)     { return p.chain("+-", p.product) }
func (p *termParser) product() (operation, error) { return p.chain("*/", p.signed) }

// chain reads operands with operators of one rank between them.
func (p *termParser) chain(operators string, operand func() (operation, error)) (operation, error) {
	left, err := operand()
	for err == nil {
		op := p.take(operators)
		if op == 0 {
			break
		}
		var right operation
		if right, err = operand(); err == nil {
			left = combined(op, left, right)
		}
	}
	return left, err
}

func combined(op byte, a, b operation) operation {
	switch op {
	case '+':
		return func(x []float64) float64 { return a(x) + b(x) }
	case '-':
		return func(x []float64) float64 { return a(x) - b(x) }
	case '*':
		return func(x []float64) float64 { return a(x) * b(x) }
	case '/':
		return func(x []float64) float64 { return a(x) / b(x) }
	}
	return func(x []float64) float64 { return math.Pow(a(x), b(x)) }
}

// signed reads a power with a sign in front, which binds less.
func (p *termParser) signed() (operation, error) {
	if p.depth++; p.depth > mostNested {
		return nil, fmt.Errorf("%s is nested too deeply", p.text)
	}
	defer func() { p.depth-- }()
	if p.take("-") != 0 {
		a, err := p.signed()
		return func(x []float64) float64 { return -a(x) }, err
	}
	base, err := p.atom()
	if err != nil || p.take("^") == 0 {
		return base, err
	}
	exponent, err := p.signed()
	return combined('^', base, exponent), err
}

// atom reads a number, a column, a function, or what is in parentheses.
func (p *termParser) atom() (operation, error) {
	if p.take("(") != 0 {
		return p.inside()
	}
	start := p.blank()
	for p.at < len(p.text) && nameByte(p.text[p.at]) {
		p.at++
	}
	word := p.text[start:p.at]
	if scale := strings.TrimRight(word, "eE"); len(scale)+1 == len(word) && numeral(scale) && p.at < len(p.text) && strings.IndexByte("+-", p.text[p.at]) >= 0 {
		for p.at++; p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9'; p.at++ { // 1e-3
		}
		word = p.text[start:p.at]
	}
	if word == "" {
		return nil, fmt.Errorf("a column or a number is missing in %s", p.text)
	}
	if numeral(word) {
		x, _ := strconv.ParseFloat(word, 64)
		return func([]float64) float64 { return x }, nil
	}
	if word[0] <= '9' {
		return nil, fmt.Errorf("%q in %s is no number, and no column's name", word, p.text)
	}
	if p.take("(") == 0 {
		return p.column(word), nil
	}
	f, known := functions[word]
	if !known {
		return nil, fmt.Errorf("%s is no function of terms: these are %s", word, strings.Join(Functions(), ", "))
	}
	a, err := p.inside()
	return func(x []float64) float64 { return f(a(x)) }, err
}

// comparisons are what two numbers may be compared by, those of two characters first.
var comparisons = []struct {
	sign  string
	holds func(a, b float64) bool
}{
	{"==", func(a, b float64) bool { return a == b }},
	{"!=", func(a, b float64) bool { return a != b }},
	{"<=", func(a, b float64) bool { return a <= b }},
	{">=", func(a, b float64) bool { return a >= b }},
	{"<", func(a, b float64) bool { return a < b }},
	{">", func(a, b float64) bool { return a > b }},
}

// compared reads a sum, or two of them with a comparison between, which is 1 where it holds and 0 elsewhere.
func (p *termParser) compared() (operation, error) {
	a, err := p.sum()
	if err != nil {
		return nil, err
	}
	rest := p.text[p.blank():]
	for _, c := range comparisons {
		if strings.HasPrefix(rest, c.sign) {
			p.at += len(c.sign)
			b, err := p.sum()
			return func(x []float64) float64 {
				if c.holds(a(x), b(x)) {
					return 1
				}
				return 0
			}, err
		}
	}
	return a, nil
}

// inside reads up to a closing parenthesis.
func (p *termParser) inside() (operation, error) {
	a, err := p.compared()
	if err == nil && p.take(")") == 0 {
		err = fmt.Errorf("a parenthesis is never closed in %s", p.text)
	}
	return a, err
}

func (p *termParser) column(name string) operation {
	k := slices.Index(p.of.Columns, name)
	if k < 0 {
		k = len(p.of.Columns)
		p.of.Columns = append(p.of.Columns, name)
	}
	return func(x []float64) float64 { return x[k] }
}

// numeral reports whether a word is a number, which begins with a digit or a point.
func numeral(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil && word[0] <= '9'
}

func nameByte(b byte) bool {
	return b == '_' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// Add adds columns that are computed from others of the table, which of says for each of their names, and returns where they are.
// A value that is not finite is a fault at its row.
func (t *Table) Add(computed []*Computed, of [][]int) (at []int, err error) {
	for i, c := range computed {
		for j, k := range of[i] {
			if t.Levels != nil && t.Levels[k] != nil {
				return nil, &Error{Name: t.Name, Text: fmt.Sprintf("%s is no function of numbers: %s is a column of labels, such as %s", c.Text, c.Columns[j],
					t.Levels[k][0])}
			}
		}
	}
	if len(computed) == 0 {
		return nil, nil
	}
	width := len(t.Columns)
	wider := width + len(computed)
	memory, err := t.space.Numbers(t.Rows() * wider)
	if err != nil {
		return nil, err
	}
	values, cells := memory[:0], []int32(nil)
	for row := range t.Rows() {
		own := t.Values[row*width : (row+1)*width]
		values = append(values, own...)
		if t.cells != nil {
			cells = append(append(cells, t.cells[row*width:(row+1)*width]...), make([]int32, len(computed))...)
		}
		for i, c := range computed {
			x := make([]float64, len(of[i]))
			for j, k := range of[i] {
				x[j] = own[k]
			}
			v := c.root(x)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, t.undefined(c, x, row)
			}
			values = append(values, v)
		}
	}
	t.Values, t.cells = values, cells
	if t.computed == nil {
		t.computed = map[int]bool{}
	}
	for _, c := range computed {
		at = append(at, len(t.Columns))
		t.computed[len(t.Columns)] = true
		t.Columns = append(t.Columns, c.Text)
		if t.Levels != nil {
			t.Levels = append(t.Levels, nil)
		}
	}
	return at, nil
}

// undefined is the fault of a row at which a term has no value.
func (t *Table) undefined(c *Computed, x []float64, row int) error {
	var where []string
	for j, name := range c.Columns {
		where = append(where, fmt.Sprintf("%s = %v", name, x[j]))
	}
	return Errors{{Name: t.file(row), Line: int(t.lines.at(row)), Text: fmt.Sprintf("%s is not a finite number (%s, row %d)", c.Text, strings.Join(where, ", "),
		t.numbers.at(row)), Hint: "--where leaves rows out; log1p(x) is log(1 + x)"}}
}
