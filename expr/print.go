package expr

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Precedences of the printers, loosest first.
const (
	precSum = iota
	precProduct
	precPower
	precAtom
)

// String prints the node as a formula of the language. A formula that would fill pages is printed with dots in the place of
// its longest parts: a chain of definitions, each of which uses the one before it twice, is exponentially long written out.
func (n *Node) String() string { return text.whole(n) }

// nameAlone matches a name that is alone in parentheses.
var nameAlone = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[^\w])\((\w+)\)`) })

// Named prints the node as String does, with names for the parts that have one, and with dots for long parts that have none.
func Named(n *Node, name func(*Node) string) string {
	w := text
	w.name = name
	return nameAlone().ReplaceAllString(w.whole(n), "$1$2")
}

// LaTeX prints the node as LaTeX, without dollar signs, with dots as String does.
func (n *Node) LaTeX() string { return latex.whole(n) }

const (
	longFormula = 4000 // nodes, from which on parts of a formula are left out
	longPart    = 250  // nodes of the parts that stay
)

// Abridged reports whether the formula is printed with dots.
func (n *Node) Abridged() bool { return n.tree > longFormula }

// Longer reports whether the formula, written out, has more than a number of operands and operations.
func (n *Node) Longer(than int) bool { return n.tree > float64(than) }

// whole prints a formula.
func (w *notation) whole(n *Node) string {
	if !n.Abridged() {
		return w.print(n, precSum)
	}
	brief := *w
	brief.abridged = n
	return brief.print(n, precSum)
}

// notation is what differs between the two printers.
type notation struct {
	abridged *Node              // a formula of which long parts are left out; nil: nothing is
	name     func(*Node) string // of a part that has one; nil: none has
	dots     string
	number   func(float64) string
	symbol   func(name string, min int) string
	times    string
	paren    func(string) string
	fraction func(num, den string) string // nil: num/den with slashes
	power    func(base, exp string) string
	root     func(x string) string
	call     func(n *Node, args []string) string
	sum      func(axis, x string) string
	over     func(op, axis, x string) string // other operations over an axis
	solution func(n *Node, eq string) string
	expected func(variable, x string) string
}

var text = notation{
	dots:   "...",
	number: func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) },
	symbol: func(name string, _ int) string { return plainSymbol(name) },
	times:  "*",
	paren:  func(s string) string { return "(" + s + ")" },
	power:  func(b, e string) string { return b + "^" + e },
	root:   func(x string) string { return "sqrt(" + x + ")" },
	call:   func(n *Node, args []string) string { return n.Op.Name + "(" + strings.Join(args, ", ") + ")" },
	sum:    func(axis, x string) string { return reduction("sum", axis) + "(" + x + ")" },
	over:   func(op, _, x string) string { return op + "(" + x + ")" },
	solution: func(n *Node, eq string) string {
		return "root(" + plainSymbol(n.Fn.Vars[n.Index].Name) + ", " + eq + " = 0)"
	},
	expected: func(t, x string) string { return "E_" + t + "(" + x + ")" },
}

// spelling is the name of an operation in the language.
func spelling(op *Op) string {
	if op == opMax {
		return "max"
	}
	return op.Name
}

// reduction names an operation over an axis: sum over the rows, sum_k over the components.
func reduction(op, axis string) string {
	if axis == Rows.String() {
		return op
	}
	return op + "_" + axis
}

// plainSymbol drops the prefix that keeps names of different origin apart (theta.r) and the number that makes a fresh
// symbol unique (a$1).
func plainSymbol(name string) string {
	name, _, _ = strings.Cut(name, "$")
	return name[strings.LastIndexByte(name, '.')+1:]
}

func (w *notation) wrap(s string, prec, min int) string {
	if prec < min {
		return w.paren(s)
	}
	return s
}

func (w *notation) print(n *Node, min int) string {
	if w.name != nil {
		if name := w.name(n); name != "" {
			return name
		}
	}
	if w.abridged != nil && n != w.abridged && n.tree > longPart {
		return w.dots
	}
	switch n.Op {
	case opConst:
		return w.constant(n.Const, min)
	case opSym:
		return w.symbol(n.Name, min)
	case opLin:
		return w.lin(n, min)
	case opProd:
		return w.prod(n, min)
	case opPow:
		return w.wrap(w.power(w.print(n.Args[0], precAtom), w.exponent(n.Args[1])), precPower, min)
	case opSum:
		s := w.sum(n.Axis.String(), w.print(n.Args[0], precProduct))
		if w.fraction != nil { // in LaTeX the summand has no end but that of the term
			s = w.wrap(s, precProduct, min)
		}
		return s
	case opRoot:
		return w.solution(n, w.equation(n))
	case opExpectation:
		return w.expected(plainSymbol(n.Fn.Vars[0].Name), w.equation(n))
	case opScan, opSeries:
		return w.scan(n)
	case opLogJoint, opLogJointGradient:
		if w.fraction != nil { // LaTeX
			return `\operatorname{` + strings.ReplaceAll(n.modelName(), "_", `\_`) + `}\left(` + w.print(n.Args[0], precSum) + `\right)`
		}
		return w.over(n.modelName(), "", w.print(n.Args[0], precSum))
	case opMax, opAttained, opLogSumExp, opSoftmax:
		return w.over(spelling(n.Op), n.Axis.String(), w.print(n.Args[0], precSum))
	}
	if n.IsLinalg() {
		return w.linalg(n, min)
	}
	args := make([]string, len(n.Args))
	for i, a := range n.Args {
		args[i] = w.print(a, precSum)
	}
	prec := precAtom
	if w.fraction != nil && strings.HasSuffix(n.Op.LaTeX, "}") { // ends with an exponent, which takes no other
		prec = precPower
	}
	return w.wrap(w.call(n, args), prec, min)
}

func (w *notation) constant(v float64, min int) string {
	s := w.number(v)
	switch {
	case v < 0:
		return w.wrap(s, precSum, min)
	case strings.Contains(s, " ") || strings.HasPrefix(s, `\frac`): // a product with a power of 10, say
		return w.wrap(s, precProduct, min)
	}
	return s
}

func (w *notation) exponent(n *Node) string {
	if w.fraction != nil { // LaTeX groups exponents with braces
		return w.print(n, precSum)
	}
	return w.print(n, precAtom)
}

// equation prints the equation of a root with the operands in the place of the parameters.
func (w *notation) equation(n *Node) string {
	at := make(map[string]*Node, len(n.Args))
	for i, p := range n.Fn.Params {
		at[p.Name] = n.Args[i]
	}
	inner := *w
	inner.symbol = func(name string, min int) string {
		if a, ok := at[name]; ok {
			return w.print(a, min)
		}
		return w.symbol(name, min)
	}
	return inner.print(n.Fn.Eqs[n.Index], precSum)
}

// lin prints the constant last, and positive terms before negative ones where the sum would start with a minus. Numbers
// that count for every entry of a matrix are printed with the matrix of ones: A + 1 is not in the language.
func (w *notation) lin(n *Node, min int) string {
	var b strings.Builder
	term := func(c float64, a *Node) {
		if c == -1 && b.Len() == 0 && w.fraction == nil && a.Op == MatMul && startsWithSum(a) { // not the sum alone
			b.WriteString("-" + w.paren(w.print(a, precSum)))
			return
		}
		switch {
		case c < 0 && b.Len() == 0:
			b.WriteString("-")
		case c < 0:
			b.WriteString(" - ")
		case b.Len() > 0:
			b.WriteString(" + ")
		}
		b.WriteString(w.scaled(math.Abs(c), a))
		if n.Type.Rank == 2 && a.Type.Rank == 0 {
			b.WriteString(w.times + w.onesMatrix(n.Type))
		}
	}
	constant := func() {
		if n.Const == 0 {
			return
		}
		sign := " + "
		if n.Const < 0 {
			sign = " - "
		}
		if b.Len() == 0 {
			sign = strings.TrimSpace(strings.TrimPrefix(sign, " +"))
		}
		b.WriteString(sign + w.number(math.Abs(n.Const)))
		if n.Type.Rank == 2 {
			b.WriteString(w.times + w.onesMatrix(n.Type))
		}
	}
	if n.Const > 0 && n.Coefs[0] < 0 {
		constant()
	}
	started := b.Len() > 0
	for i, a := range n.Args {
		term(n.Coefs[i], a)
	}
	if !started {
		constant()
	}
	prec := precSum
	if len(n.Args) == 1 && n.Const == 0 && n.Coefs[0] > 0 {
		prec = precProduct
	}
	return w.wrap(b.String(), prec, min)
}

// scaled prints c*a for c > 0. A number is not printed in front of a sum that is a factor: multiplied with the sum alone,
// as it would be read, it makes another product.
func (w *notation) scaled(c float64, a *Node) string {
	s := w.print(a, precProduct)
	switch {
	case c == 1:
		return s
	case w.fraction == nil && strings.HasPrefix(s, "1/"):
		return w.number(c) + s[1:]
	case w.fraction == nil && startsWithSum(a):
		s = w.paren(s)
	}
	return w.number(c) + w.times + s
}

// startsWithSum reports whether the first factor that is printed is a sum.
func startsWithSum(n *Node) bool {
	if n.Op == MatMul {
		return n.Args[0].Op == opLin
	}
	if n.Op != opProd {
		return false
	}
	i := slices.IndexFunc(n.Coefs, func(e float64) bool { return e > 0 })
	return i >= 0 && n.Args[i].Op == opLin && n.Coefs[i] == 1
}

func (w *notation) prod(n *Node, min int) string {
	var num, den []string
	for i, a := range n.Args {
		if n.Coefs[i] < 0 {
			den = append(den, w.factor(a, -n.Coefs[i]))
		} else {
			num = append(num, w.factor(a, n.Coefs[i]))
		}
	}
	if len(n.Args) == 1 && len(den) == 0 {
		prec := precPower
		if n.Coefs[0] == 0.5 {
			prec = precAtom
		}
		return w.wrap(num[0], prec, min)
	}
	top := strings.Join(num, w.times)
	if len(num) == 0 {
		top = w.number(1)
	}
	switch {
	case len(den) == 0:
		return w.wrap(top, precProduct, min)
	case w.fraction != nil:
		return w.wrap(w.fraction(w.alone(n, 1, top), w.alone(n, -1, strings.Join(den, w.times))), precProduct, min)
	case len(den) == 1:
		return w.wrap(top+"/"+den[0], precProduct, min)
	}
	return w.wrap(top+"/("+strings.Join(den, w.times)+")", precProduct, min)
}

// alone prints the only factor with an exponent of that sign without parentheses, where it has exponent 1 or -1; otherwise
// it returns what is printed.
func (w *notation) alone(n *Node, sign float64, printed string) string {
	var only *Node
	for i, e := range n.Coefs {
		switch {
		case e*sign < 0:
		case e*sign != 1 || only != nil:
			return printed
		default:
			only = n.Args[i]
		}
	}
	if only == nil {
		return printed
	}
	return w.print(only, precSum)
}

// factor prints a^e for e > 0.
func (w *notation) factor(a *Node, e float64) string {
	switch e {
	case 1:
		return w.print(a, precPower)
	case 0.5:
		return w.root(w.print(a, precSum))
	}
	return w.power(w.print(a, precAtom), w.number(e))
}

var latex = notation{
	dots:     `\dots`,
	number:   latexNumber,
	symbol:   func(name string, _ int) string { return latexSymbol(name) },
	times:    ` \, `,
	paren:    func(s string) string { return `\left(` + s + `\right)` },
	fraction: func(num, den string) string { return `\frac{` + num + `}{` + den + `}` },
	power:    func(b, e string) string { return b + "^{" + e + "}" },
	root:     func(x string) string { return `\sqrt{` + x + `}` },
	call: func(n *Node, args []string) string {
		s := n.Op.LaTeX
		for i, a := range args {
			s = strings.ReplaceAll(s, fmt.Sprintf("#%d", i+1), a)
		}
		return s
	},
	sum: func(axis, x string) string { return `\sum_{` + axis + `} ` + x },
	over: func(op, axis, x string) string {
		return `\operatorname{` + op + `}_{` + axis + `}\left(` + x + `\right)`
	},
	solution: func(n *Node, eq string) string {
		return `\operatorname{root}_{` + latexSymbol(n.Fn.Vars[n.Index].Name) + `}\left(` + eq + ` = 0\right)`
	},
	expected: func(t, x string) string { return `\operatorname{E}_{` + t + `}\left(` + x + `\right)` },
}

// latexNumber prints a number as textbooks have it, where it is a common fraction or a constant that they have a name for.
func latexNumber(v float64) string {
	sign := ""
	if v < 0 {
		sign = "-"
	}
	if name, ok := known()[math.Abs(v)]; ok {
		return sign + name
	}
	for _, q := range []float64{2, 3, 4, 6} {
		if p := math.Round(math.Abs(v) * q); p > 0 && p < 20 && p/q == math.Abs(v) && p != q*math.Round(p/q) {
			return fmt.Sprintf(`%s\frac{%.0f}{%.0f}`, sign, p, q)
		}
	}
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if m, e, ok := strings.Cut(s, "e"); ok {
		return m + ` \cdot 10^{` + strings.TrimPrefix(e, "+") + "}"
	}
	return s
}

// known are numbers that have been computed from what is written here.
var known = sync.OnceValue(func() map[float64]string {
	return map[float64]string{
		math.Pi:                  `\pi`,
		2 * math.Pi:              `2 \, \pi`,
		math.Pi / 2:              `\frac{\pi}{2}`,
		math.Log(3):              `\log\left(3\right)`,
		math.Log(5):              `\log\left(5\right)`,
		math.Ln10:                `\log\left(10\right)`,
		math.Ln2:                 `\log\left(2\right)`,
		math.Log(math.Pi):        `\log\left(\pi\right)`,
		math.Log(math.Pi) / 2:    `\frac{1}{2} \, \log\left(\pi\right)`,
		math.Log(2 * math.Pi):    `\log\left(2 \, \pi\right)`,
		math.Log(2*math.Pi) / 2:  `\frac{1}{2} \, \log\left(2 \, \pi\right)`,
		math.Log(2 / math.Pi):    `\log\left(\frac{2}{\pi}\right)`,
		math.Log(2/math.Pi) / 2:  `\frac{1}{2} \, \log\left(\frac{2}{\pi}\right)`,
		math.Sqrt(2 / math.Pi):   `\sqrt{\frac{2}{\pi}}`,
		math.Sqrt(math.Pi):       `\sqrt{\pi}`,
		math.Sqrt2:               `\sqrt{2}`,
		1 / math.Sqrt(2*math.Pi): `\frac{1}{\sqrt{2 \, \pi}}`,
	}
})

var greek = sync.OnceValue(func() []string {
	return strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau " +
		"upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega")
})

// latexSymbol prints a name: greek letters as such, trailing digits as an index, longer names upright.
func latexSymbol(name string) string {
	name = plainSymbol(name)
	stem := strings.TrimRight(name, "0123456789")
	index := name[len(stem):]
	for _, g := range greek() {
		if stem == g {
			stem = `\` + g
			break
		}
	}
	if len(stem) > 1 && stem[0] != '\\' {
		stem = `\mathrm{` + strings.ReplaceAll(stem, "_", `\_`) + `}`
	}
	if index != "" {
		return stem + "_{" + index + "}"
	}
	return stem
}
