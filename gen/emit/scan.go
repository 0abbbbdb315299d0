package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

const seriesModule = module + "/series"

// scanLayout is where the numbers of a scan lie: states, parameters in the derivatives, the parts of a row.
type scanLayout struct{ states, params, rows layout }

func scanLayoutOf(fn *expr.Lambda) scanLayout {
	lay := func(syms []*expr.Node) (l layout) {
		for _, s := range syms {
			l = l.add(place{Type: s.Type})
		}
		return l
	}
	return scanLayout{lay(fn.Vars), lay(fn.Params), lay(fn.Rows)}
}

// scanSteps are the kernels of a scan, in the order of the actions of package series. Those of derivatives are missing where nobody
// asked for any.
func (f *file) scanSteps(fn *expr.Lambda) []*plan.Kernel {
	at := scanLayoutOf(fn)
	field := func(name string) *program.Given { return program.Field("scan", name) }
	names := map[string]bool{"scan": true, "slopes": true}
	for i := range max(len(fn.Params), len(fn.Rows)) {
		for _, prefix := range []string{"p", "r", "to"} {
			names[fmt.Sprint(prefix, i+1)] = true
		}
	}
	own := func(name string) string {
		for name = f.local(name); names[name]; {
			name += "_"
		}
		names[name] = true
		return name
	}
	inputs := func(l layout, from string, syms, called []*expr.Node, prefix string) (in []plan.Input) {
		for i, s := range syms {
			name, _, _ := strings.Cut(called[i].Name, "$")
			if prefix != "" {
				name = prefix + exported(name)
			}
			in = append(in, l.input(field(from), i, s, own(name)))
		}
		return in
	}
	outputs := func(l layout, to string, nodes, syms []*expr.Node) (out []plan.Output) {
		for i, n := range f.stable(nodes...) {
			name, _, _ := strings.Cut(syms[i].Name, "$")
			out = append(out, l.output(field(to), i, n, strings.ToLower(to[:1])+to[1:]+exported(name), false))
		}
		return out
	}
	params, _ := solverParams(fn)
	step := append(append(params[:len(params):len(params)], inputs(at.states, "State", fn.Vars, fn.Vars, "")...), inputs(at.rows, "Data", fn.Rows, fn.Rows, "")...)
	value := plan.Output{To: field("Value"), Node: f.stable(fn.Eqs[0])[0]}
	kernels := []*plan.Kernel{
		{Inputs: params, Outputs: outputs(at.states, "State", fn.Start, fn.Vars)},
		{Inputs: step, Outputs: append([]plan.Output{value}, outputs(at.states, "After", fn.Eqs[1:], fn.Vars)...)},
	}
	if a := fn.Adjoint; a != nil {
		cotangents := inputs(at.states, "Cotangent", a.Next, fn.Vars, "cotangent")
		back := append(append(step[:len(step):len(step)], cotangents...), plan.Input{Sym: a.Weight, From: field("Weight")})
		kernels = append(kernels,
			&plan.Kernel{Inputs: back, Outputs: append(outputs(at.states, "Before", a.States, fn.Vars), outputs(at.params, "Gradient", a.Params, fn.Params)...)},
			&plan.Kernel{Inputs: append(params[:len(params):len(params)], cotangents...), Outputs: outputs(at.params, "Gradient", a.AtStart, fn.Params)})
	}
	return kernels
}

// scanActions are the actions that the kernels are for.
var scanActions = []string{"Start", "Step", "Back", "BackStart"}

// scanFunc writes the function of a scan, whose memory is its own, apart from that of its callers:
//
//	func (p *Model) scan<State>(slopes bool, to2 []float64, p1 float64, p2, r1 []float64) (total, d1 float64) {
//		scan := series.New(p.scan<State>Memory, p.w, nil, 1, 2, 1, slopes)
//		for scan.Next() {
//			copy(scan.Data, r1[scan.Row:])
//			switch scan.Do {
//			case series.Start:
//			...
//			}
//		}
//		copy(to2, scan.Total[1:])
//		return scan.Sum, scan.Total[0]
//	}
func (f *file) scanFunc(fn *expr.Lambda) {
	at, name := scanLayoutOf(fn), f.solverName(fn)
	f.callers = append([]program.Slots(nil), f.slots...)
	var cases []jen.Code
	for i, k := range f.scanSteps(fn) {
		stmts, _ := f.statements(k, rowSource{}, nil)
		cases = append(cases, jen.Case(jen.Qual(seriesModule, scanActions[i])).Block(stmts...))
	}
	f.callers = nil
	sizes := fmt.Sprintf("%s, %s, %s", lengthText(at.states.size()), lengthText(at.params.size()), lengthText(at.rows.size()))
	f.scans[name+"Memory"] = sizes
	var params, types, results, copies, data []jen.Code
	params = append(params, jen.Id("slopes").Bool())
	types, results = append(types, jen.Float64()), append(results, jen.Id("scan.Sum"))
	for i, p := range fn.Params {
		from := given(at.params.of(program.Field("scan", "Total"), i))
		if p.Type.Rank == 0 {
			types, results = append(types, jen.Float64()), append(results, jen.Id(from))
			continue
		}
		to := fmt.Sprintf("to%d", i+1)
		params = append(params, jen.Id(to).Index().Float64())
		copies = append(copies, jen.Copy(jen.Id(to), jen.Id(from)))
	}
	for i, p := range fn.Params {
		id := jen.Id(fmt.Sprintf("p%d", i+1))
		if p.Type.Rank > 0 {
			id = id.Index()
		}
		params = append(params, id.Float64())
	}
	labels := "nil"
	for i := range fn.Rows {
		column := fmt.Sprintf("r%d", i+1)
		params = append(params, jen.Id(column).Index().Float64())
		width := lengthText(at.rows.len(i))
		data = append(data, line("copy(scan.Data[%s:%s], %s[scan.Row*%s:])", lengthText(at.rows.offset(i)), lengthText(at.rows.offset(i+1)), column, factor(width)))
		if fn.Series && i == len(fn.Rows)-1 {
			labels = column
		}
	}
	body := []jen.Code{
		jen.Id("scan").Op(":=").Qual(seriesModule, "New").Call(line("p.%sMemory, p.w, %s, %s, slopes", name, labels, sizes)),
		jen.For(jen.Id("scan.Next").Call()).Block(append(data, jen.Switch(jen.Id("scan.Do")).Block(cases...))...),
	}
	body = append(append(body, copies...), jen.Return(results...))
	state, _, _ := strings.Cut(fn.Vars[0].Name, "$")
	f.add(fmt.Sprintf("%s carries %s along the rows and returns the sum of what they have, and where slopes are asked for the derivatives with respect to its parameters.", name, state),
		method(name).Params(params...).Params(types...).Block(f.declareDims(body)...))
}

// factor is a text as a factor of a product.
func factor(text string) string {
	if strings.ContainsAny(text, "+-") {
		return "(" + text + ")"
	}
	return text
}

// scanMemory makes the memory of scans, which grows with the square root of the number of rows.
func (f *file) scanMemory() []jen.Code {
	var out []jen.Code
	for _, name := range f.scanFields() {
		out = append(out, line("p.%s = ", name).Qual(supportModule, "Grow").Call(line("p.%s", name),
			jen.Qual(seriesModule, "Memory").Call(line("len(p.w), %s", f.inFields(f.scans[name])))))
	}
	return out
}

// callScan writes
//
//	<numbers> := p.<scan>(<slopes>, <vectors>, <parameters>, <columns>)
func (b body) callScan(s *program.Solve) jen.Code {
	slopes := len(s.To) > 1
	args := []jen.Code{jen.Lit(slopes)}
	var numbers []*program.Place
	op := "="
	for i := range 1 + len(s.Fn.Params) {
		var to *program.Place
		if i < len(s.To) {
			to = s.To[i]
		}
		switch {
		case i > 0 && s.Fn.Params[i-1].Type.Rank > 0 && to == nil:
			args = append(args, jen.Nil())
			continue
		case i > 0 && s.Fn.Params[i-1].Type.Rank > 0:
			args = append(args, jen.Id(to.Name))
			continue
		case to != nil:
			op = ":="
		}
		numbers = append(numbers, to)
	}
	args = append(args, b.typedOperands(s.Args)...)
	return jen.List(names(numbers)...).Op(op).Id("p").Dot(b.solver(s.Fn)).Call(args...)
}

// scanFields are the fields for the memory of scans.
func (f *file) scanFields() []string { return slices.Sorted(maps.Keys(f.scans)) }
