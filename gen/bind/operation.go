package bind

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/spec"
)

// costOfGo is taken for the flops of a function in Go.
const costOfGo = 100

// operation is the row that a function whose derivatives are given would have in the table of functions.
func (b *binder) operation(f *spec.Function) *expr.Op {
	if op := b.operations[f]; op != nil {
		return op
	}
	o := &operation{b: b, f: f}
	kind, _ := typeOf(f.Range)
	op := &expr.Op{Name: f.Name, Arity: len(f.Arguments), Doc: f.Doc, Range: kind.Range, Eval: o.eval, Cost: costOfGo, LaTeX: o.latex(),
		Own: &expr.Own{ID: len(b.operations) + 1, Partials: o.partials}}
	if op.Doc == "" {
		op.Doc = "a function of the spec"
	}
	for _, a := range f.Arguments {
		kind, _ := typeOf(a.Type)
		op.Domain = append(op.Domain, kind.Range)
	}
	if f.Value != nil {
		op.Own.Value = o.value
	} else {
		op.Go, op.Own.Import = path.Base(f.Go.Path)+"."+f.Go.Name, f.Go.Path
	}
	if b.operations == nil {
		b.operations = map[*spec.Function]*expr.Op{}
	}
	b.operations[f] = op
	return op
}

// operation is what a function of one's own is to the graph.
type operation struct {
	b    *binder
	f    *spec.Function
	syms []*expr.Node
	at   *expr.Node // the value in them
}

// formula builds a formula of the function for operands.
func (o *operation) formula(of *spec.Formula, args []*expr.Node) (*expr.Node, error) {
	operands := map[string]*expr.Node{}
	for i, a := range o.f.Arguments {
		operands[a.Name] = args[i]
	}
	n, faults := o.b.functionFormula(o.f, of, operands)
	switch {
	case len(faults) > 0:
		return nil, errors.New(faults[0].Msg)
	case n == nil:
		return nil, errors.New("a formula is faulty")
	}
	return n, nil
}

func (o *operation) partials(args []*expr.Node) ([]*expr.Node, error) {
	out := make([]*expr.Node, len(args))
	for i, d := range o.f.Derivatives {
		var err error
		if out[i], err = o.formula(d, args); err != nil {
			return nil, fmt.Errorf("derivative of %s: %w", o.f.Name, err)
		}
	}
	return out, nil
}

// value writes the value out. Its faults have been reported where it is defined.
func (o *operation) value(args []*expr.Node) *expr.Node {
	n, err := o.formula(o.f.Value, args)
	if err != nil {
		panic(fmt.Sprintf("bind: %s: %v", o.f.Name, err))
	}
	return n
}

// eval is the value at numbers, NaN of a function in Go.
func (o *operation) eval(x []float64) float64 {
	if o.f.Value == nil || o.b.isFaulty(o.f) {
		return math.NaN()
	}
	if o.at == nil {
		for _, a := range o.f.Arguments {
			kind, _ := typeOf(a.Type)
			o.syms = append(o.syms, o.b.g.Fresh(a.Name, expr.Scalar, kind.Facts))
		}
		if o.at, _ = o.formula(o.f.Value, o.syms); o.at == nil {
			return math.NaN()
		}
	}
	env := eval.Scalars(nil)
	for i, s := range o.syms {
		env.Set(s.Name, x[i])
	}
	v, err := eval.Eval(o.at, env)
	if err != nil {
		return math.NaN()
	}
	return v
}

// latex is how a call is typeset.
func (o *operation) latex() string {
	operands := make([]string, len(o.f.Arguments))
	for i := range operands {
		operands[i] = fmt.Sprintf("#%d", i+1)
	}
	return `\operatorname{` + strings.ReplaceAll(o.f.Name, "_", `\_`) + `}\left(` + strings.Join(operands, ", ") + `\right)`
}
