// Package wording makes names of formulas, as one would read them out: sqrtNu, etaDotM1OverPi, xLessMu. They are put together of what the
// operands are called, so that a formula has no name where one of these has none, or where it would be too long to be read.
package wording

import (
	"go/token"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/sngdgen/sngdgen/expr"
)

// longest is the length of the longest name that is made of a formula.
const longest = 16

// Formula is an operation on operands under their names, "" of one that has none.
type Formula struct {
	Op       *expr.Op
	Operands []string
	Coefs    []float64 // of a sum, and the exponents of a product
	Const    float64   // of a sum
}

// Name is what a formula is called, "" where it has no name that is short.
func Name(f Formula) string {
	if name := f.name(); Legible(name) {
		return name
	}
	return ""
}

// Legible reports whether a name can be one of Go, and is not too long.
func Legible(name string) bool { return len(name) <= longest && token.IsIdentifier(name) }

// unsaying matches names that do not say what they are.
var unsaying = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(t|sum|largest|column)[0-9]*(_[0-9]+)?s?$|[^A-Za-z0-9]`)
})

// Telling reports whether a name says what it is.
func Telling(name string) bool { return !unsaying().MatchString(name) }

// prefixes are what names of matrix functions begin with.
var prefixes = map[*expr.Op]string{expr.Inv: "inv", expr.LogDet: "logDet", expr.Chol: "chol", expr.Diag: "diag", expr.LowerHalf: "lowerHalf"}

func (f Formula) name() string {
	switch f.Op {
	case expr.Lin:
		return f.sum()
	case expr.Prod:
		return f.product()
	case expr.Dot:
		return join("Dot", f.Operands...)
	case expr.MatMul:
		return join("", f.Operands...)
	case expr.Difference:
		return join("Less", f.Operands...)
	case expr.Transpose:
		return after(f.Operands[0], "T")
	case expr.LogSumExp:
		return "logSumExp"
	case expr.Softmax:
		return "softmax"
	}
	if prefix, ok := prefixes[f.Op]; ok {
		return before(prefix, f.Operands[0])
	}
	if f.Op.Elementwise() {
		return f.function()
	}
	return ""
}

// function names a value of a function of numbers after the function and its operand, or after the function alone if that has several words:
// the others are what packages and variables are called, too.
func (f Formula) function() string {
	name := Function(f.Op.Name)
	if len(f.Operands) == 1 {
		if full := before(name, f.Operands[0]); Legible(full) {
			return full
		}
	}
	if strings.Contains(f.Op.Name, "_") {
		return name
	}
	return ""
}

// multiples are the words for numbers in front of something, increments those for numbers that are added to it.
var (
	multiples  = map[float64]string{-2: "minusTwice", -1: "minus", -0.5: "minusHalf", 0.5: "half", 2: "twice"}
	increments = map[float64]string{-2: "Less2", -1: "Less1", 1: "Plus1", 2: "Plus2"}
)

// sum names multiples, and sums and differences of two.
func (f Formula) sum() string {
	switch {
	case len(f.Operands) == 1 && f.Const == 0:
		if word := multiples[f.Coefs[0]]; word != "" {
			return before(word, f.Operands[0])
		}
	case len(f.Operands) == 1 && f.Coefs[0] == 1:
		if word := increments[f.Const]; word != "" {
			return after(f.Operands[0], word)
		}
	case len(f.Operands) == 1 && f.Coefs[0] == -1 && f.Const == 1:
		return before("oneLess", f.Operands[0])
	case len(f.Operands) == 2 && f.Const == 0:
		return two(f.Operands[0], f.Operands[1], f.Coefs[0], f.Coefs[1])
	}
	return ""
}

// two names a sum or a difference.
func two(x, y string, a, b float64) string {
	switch {
	case a == 1 && b == 1:
		return join("Plus", x, y)
	case a == 1 && b == -1:
		return join("Less", x, y)
	case a == -1 && b == 1:
		return join("Less", y, x)
	}
	return ""
}

// product names products and ratios of powers.
func (f Formula) product() string {
	over, under := "", ""
	for i, x := range f.Operands {
		name := power(x, f.Coefs[i])
		switch {
		case name == "":
			return ""
		case f.Coefs[i] < 0:
			under += Capital(name)
		case over != "":
			over += Capital(name)
		default:
			over = name
		}
	}
	switch {
	case under == "":
		return over
	case over == "":
		return "inv" + under
	}
	return over + "Over" + under
}

// power names a power, or its inverse where the exponent is negative.
func power(x string, exponent float64) string {
	switch exponent {
	case 1, -1:
		return x
	case 0.5, -0.5:
		return before("sqrt", x)
	case 2, -2:
		return after(x, "Squared")
	case 3, -3:
		return after(x, "Cubed")
	}
	return ""
}

// before is a word and a name.
func before(word, name string) string {
	if name == "" {
		return ""
	}
	return word + Capital(name)
}

// after is a name and a word.
func after(name, word string) string {
	if name == "" {
		return ""
	}
	return name + word
}

// join puts names together, with a word between them; "" if one is "".
func join(between string, names ...string) string {
	out := ""
	for i, name := range names {
		if name == "" {
			return ""
		}
		if i > 0 {
			name = between + Capital(name)
		}
		out += name
	}
	return out
}

// Function is the name of a value of a function: ndtrRatio of ndtr_ratio.
func Function(op string) string {
	s := Camel(op)
	return strings.ToLower(s[:1]) + s[1:]
}

// Camel turns lgamma_diff into LgammaDiff.
func Camel(s string) string {
	var b strings.Builder
	for _, word := range strings.Split(s, "_") {
		if word != "" {
			b.WriteString(Capital(word))
		}
	}
	return b.String()
}

// Behind puts a name of a spec behind a word so that names which differ in case are two: blockX is made of x, block_X of X.
func Behind(word, name string) string {
	if Capital(name) == name {
		return word + "_" + name
	}
	return word + Capital(name)
}

// Capital begins a name with a capital letter.
func Capital(s string) string {
	if s == "" || !unicode.IsLetter(rune(s[0])) {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
