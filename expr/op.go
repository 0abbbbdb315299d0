package expr

import (
	"math"
)

// Op is a row of the table of operations.
type Op struct {
	Name  string
	Arity int // of an elementwise function; -1 for the structural operations
	Doc   string

	// For elementwise functions. Operands are called x, y in the texts.
	Domain          []Range                               // where the function is defined, one an operand
	Range           Range                                 // of its values
	Monotone        int                                   // +1 increasing, -1 decreasing in its one operand, 0 otherwise
	Eval            func(x []float64) float64             // the value
	Unary           func(x float64) float64               // the same of one operand, nil of several
	Binary          func(x, y float64) float64            // the same of two
	ConstantOperand int                                   // 1 + index of the operand that must be a number; 0 when there is none
	Partials        []string                              // the derivative with respect to each operand, as a formula
	Go              string                                // the Go function: package.Name
	Own             *Own                                  // of a function that is none of the table
	LaTeX           string                                // template: #1, #2 are the operands
	Cost            float64                               // in flops (one addition or multiplication is 1)
	factRule        func(n *Node) (r Range, integer bool) // of structural operations, and of functions that tell more of a value than their range
}

// Own is what a function of one's own is, whose derivatives are given: it stays in one piece until it has been differentiated.
type Own struct {
	ID int // of the function, in its graph
	// Value builds the value for operands of any shape; nil where Import, the path of a package, has the function.
	Value  func(args []*Node) *Node
	Import string
	// Partials builds the derivatives with respect to the operands.
	Partials func(args []*Node) ([]*Node, error)
}

// InGo reports whether the function is one in Go that is none of this project.
func (o *Op) InGo() bool { return o.Own != nil && o.Own.Import != "" }

// Elementwise reports whether the operation is a function applied to every entry of its operands.
func (o *Op) Elementwise() bool { return o.Arity >= 0 }

// String returns the name.
func (o *Op) String() string { return o.Name }

// The structural operations.
var (
	opConst = &Op{Name: "const", Arity: -1, Doc: "a number"}
	opSym   = &Op{Name: "sym", Arity: -1, Doc: "a symbol"}
	opLin   = &Op{Name: "lin", Arity: -1, Doc: "constant + sum of coefficient times operand"}
	opProd  = &Op{Name: "prod", Arity: -1, Doc: "product of constant powers"}
	opPow   = &Op{Name: "pow", Arity: -1, Doc: "x^y with a variable exponent", Cost: 40}
	opSum   = &Op{Name: "sum", Arity: -1, Doc: "sum over a batch axis; over the rows each counts with its weight", Cost: 1}
	opRoot  = &Op{Name: "root", Arity: -1, Doc: "solution of a system of equations", Cost: 150}
	opMax   = &Op{Name: "maximum", Arity: -1, Doc: "largest value over a batch axis", Cost: 1}

	opAttained = &Op{Name: "attained", Arity: -1, Doc: "1 in the row where a value is the largest, the first of several, and 0 in the others", Cost: 1}

	opLogSumExp        = &Op{Name: "logsumexp", Arity: -1, Doc: "logarithm of the sum of exponentials over the components", Cost: 12}
	opLogJoint         = &Op{Name: "log_joint", Arity: -1, Doc: "logarithm of the joint density of data and latent variable, up to a constant", Cost: 1000}
	opLogJointGradient = &Op{Name: "log_joint_gradient", Arity: -1, Doc: "gradient of log_joint", Cost: 1000}
	opExpectation      = &Op{Name: "expectation", Arity: -1, Doc: "mean over a standard normal number", Cost: 1000}
	opSoftmax          = &Op{Name: "softmax", Arity: -1, Doc: "exponentials divided by their sum over the components", Cost: 2}
)

// Structural operations, for packages that handle each of them.
var (
	Const = opConst
	Sym   = opSym
	Lin   = opLin
	Prod  = opProd
	Pow   = opPow
	Sum   = opSum
	Root  = opRoot
	Max   = opMax

	Attained = opAttained

	LogSumExp = opLogSumExp
	Softmax   = opSoftmax

	LogJoint         = opLogJoint
	Expectation      = opExpectation
	LogJointGradient = opLogJointGradient
)

func init() {
	opConst.factRule = func(n *Node) (Range, bool) { return Point(n.Const), n.Const == math.Trunc(n.Const) }
	opSym.factRule = func(n *Node) (Range, bool) { return n.Facts.Range, n.Facts.Integer }
	opLin.factRule = linFacts
	opProd.factRule = prodFacts
	opPow.factRule = powFacts
	opSum.factRule = sumFacts
	opMax.factRule = func(n *Node) (Range, bool) { return n.Args[0].Facts.Range, n.Args[0].Facts.Integer }
	opAttained.factRule = func(*Node) (Range, bool) { return UnitClosed, true }
	opLogSumExp.factRule = func(*Node) (Range, bool) { return Real, false }
	opLogJoint.factRule = func(*Node) (Range, bool) { return Real, false }
	opLogJointGradient.factRule = opLogJoint.factRule
	opExpectation.factRule = opLogJoint.factRule
	opSoftmax.factRule = func(*Node) (Range, bool) { return Range{0, 1, true, false}, false }
	opRoot.factRule = func(n *Node) (Range, bool) { return n.Fn.Vars[n.Index].Facts.Range, false }
}

// Structural lists the structural operations on numbers; those of linear algebra are in Linalg, those that need an axis of
// their own in OverAxes.
func Structural() []*Op { return []*Op{opConst, opSym, opLin, opProd, opPow, opSum, opRoot} }

// OverAxes lists the operations over a batch axis besides sums. The derivative of the largest value is a subgradient: that
// of the first row where it is attained.
func OverAxes() []*Op { return []*Op{opMax, opAttained, opLogSumExp, opSoftmax} }

// facts applies the fact rule of the operation.
func (o *Op) facts(n *Node) Facts {
	if !o.Elementwise() {
		r, integer := o.factRule(n)
		return Facts{Range: r, Integer: integer, Structure: structureOf(n)}
	}
	r, integer := o.Range, false
	if o.factRule != nil {
		r, integer = o.factRule(n)
	}
	if o.Monotone != 0 {
		r = r.Intersect(o.image(n.Args[0].Facts.Range))
	}
	if r.Empty() { // rounding at the ends of the image
		r = o.Range
	}
	facts := Facts{Range: r, Integer: integer}
	if n.Type.Rank == 2 {
		facts.Structure = entriesStructure(n, o.commutes)
	}
	if n.Type.Rank == 2 && o.Arity == 1 {
		known := n.Args[0].Facts.Structure
		if o.Eval([]float64{0}) == 0 { // zeros stay zeros
			facts.Structure |= known & (LowerTriangular | ZeroDiagonal | Diagonal)
		}
		if known&Skew != 0 && o.even() {
			facts.Structure |= Symmetric
		}
	}
	return facts
}

// commutes reports whether the operands of a function of two may be exchanged.
func (o *Op) commutes() bool {
	return o.Own == nil && o.Arity == 2 && o.Eval([]float64{0.3, 0.7}) == o.Eval([]float64{0.7, 0.3}) && o.Eval([]float64{1, 3}) == o.Eval([]float64{3, 1})
}

// even reports whether a function of one operand is the same of its negative.
func (o *Op) even() bool {
	for _, x := range []float64{0.3, 1.7, 2.9} {
		if o.Own != nil {
			return false
		}
		if o.Eval([]float64{x}) != o.Eval([]float64{-x}) {
			return false
		}
	}
	return true
}

// image returns the image of a range under a monotone function of one operand.
func (o *Op) image(r Range) Range {
	r = r.Intersect(o.Domain[0])
	if r.Empty() {
		return o.Range
	}
	end := func(v, limit float64) float64 {
		if math.IsInf(v, 0) {
			return limit
		}
		if y := o.Eval([]float64{v}); !math.IsNaN(y) {
			return y
		}
		return limit
	}
	if o.Monotone > 0 {
		return closed(Range{end(r.Lo, o.Range.Lo), end(r.Hi, o.Range.Hi), r.LoOpen, r.HiOpen})
	}
	return closed(Range{end(r.Hi, o.Range.Lo), end(r.Lo, o.Range.Hi), r.HiOpen, r.LoOpen})
}

func linFacts(n *Node) (Range, bool) {
	r, integer := Point(n.Const), n.Const == math.Trunc(n.Const)
	for i, a := range n.Args {
		r = r.add(a.Facts.Range.scale(n.Coefs[i]))
		integer = integer && a.Facts.Integer && n.Coefs[i] == math.Trunc(n.Coefs[i])
	}
	return r, integer
}

func prodFacts(n *Node) (Range, bool) {
	r, integer := Point(1), true
	for i, a := range n.Args {
		r = r.times(a.Facts.Range.power(n.Coefs[i]))
		integer = integer && a.Facts.Integer && n.Coefs[i] > 0 && n.Coefs[i] == math.Trunc(n.Coefs[i])
	}
	return r, integer
}

func powFacts(n *Node) (Range, bool) {
	if n.Args[0].Positive() {
		return Positive, false
	}
	return Real, false
}

// sumFacts: weights are not negative and not all zero, so signs survive a sum over an axis.
func sumFacts(n *Node) (Range, bool) {
	for _, r := range []Range{Positive, Nonnegative, Negative, Nonpositive} {
		if n.Args[0].Facts.Range.Within(r) {
			return r, false
		}
	}
	return Real, false
}

// Cost returns the flops of one node, its operands not included.
func (n *Node) Cost() float64 {
	switch n.Op {
	case opConst, opSym:
		return 0
	case opLin:
		return linCost(n) * n.Type.entries()
	case opProd:
		return ProductCost(n.Coefs) * n.Type.entries()
	case opSum:
		return 2 * n.Type.entries() // multiply by the weight, add
	}
	if n.IsLinalg() {
		return linalgCost(n)
	}
	return n.Op.Cost * n.Type.entries()
}

func linCost(n *Node) float64 {
	cost := float64(len(n.Args) - 1)
	if n.Const != 0 {
		cost++
	}
	for _, c := range n.Coefs {
		if c != 1 && c != -1 {
			cost++
		}
	}
	return cost
}

// ProductCost returns the flops of a product of numbers to the given powers.
func ProductCost(exps []float64) float64 {
	cost := float64(max(len(exps)-1, 0))
	divides := false
	for _, e := range exps {
		divides = divides || e < 0
		switch e := math.Abs(e); {
		case e == 0.5:
			cost += 6
		case e <= 8 && e == math.Trunc(e):
			cost += e - 1
		default:
			cost += 40
		}
	}
	if divides {
		cost += 4 // one division
	}
	return cost
}

// TotalCost returns the flops of computing the roots, every shared node once.
func TotalCost(roots ...*Node) float64 {
	var cost float64
	Walk(func(n *Node) { cost += n.Cost() }, roots...)
	return cost
}
