package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
)

const seriesModule = module + "/series"

// scanActions are the actions that the kernels are for.
var scanActions = []string{"Start", "Step", "Back", "BackStart"}

// scanFunc writes the function of a scan, whose memory is its own, apart from that of its callers:
//
//	func (p *Model) scan<State>(slopes bool, to2 []float64, p1 float64, p2, r1 []float64) (total, d1 float64) {
//		scan := series.New(p.scan<State>Memory, p.W.Len(), p.W.Given(), nil, 1, 2, 1, slopes)
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
	at, name := methods.ScanLayoutOf(fn), f.solverName(fn)
	f.callers = append([]program.Slots(nil), f.slots...)
	var cases []jen.Code
	for i := range f.Functions[name].Steps {
		stmts := f.statements(name, nil)
		cases = append(cases, jen.Case(jen.Qual(seriesModule, scanActions[i])).Block(stmts...))
	}
	f.callers = nil
	sizes := fmt.Sprintf("%s, %s, %s", lengthText(at.States.Size()), lengthText(at.Params.Size()), lengthText(at.Rows.Size()))
	f.scans[name+"Memory"] = sizes
	var params, types, results, copies, data []jen.Code
	params = append(params, jen.Id("slopes").Bool())
	types, results = append(types, jen.Float64()), append(results, jen.Id("scan.Sum"))
	for i, p := range fn.Params {
		from := given(at.Params.Of(program.Field("scan", "Total"), i))
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
		width := lengthText(at.Rows.Len(i))
		data = append(data, line("copy(scan.Data[%s:%s], %s[scan.Row*%s:])", lengthText(at.Rows.Offset(i)), lengthText(at.Rows.Offset(i+1)), column, factor(width)))
		if fn.Series && i == len(fn.Rows)-1 {
			labels = column
		}
	}
	body := f.growScan(name)
	body = append(body,
		jen.Id("scan").Op(":=").Qual(seriesModule, "New").Call(line("p.%sMemory, p.W.Len(), p.W.Given(), %s, %s, slopes", name, labels, sizes)),
		jen.For(jen.Id("scan.Next").Call()).Block(append(data, jen.Switch(jen.Id("scan.Do")).Block(cases...))...))
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
		out = append(out, f.grownScan(name, f.inFields(f.scans[name])))
	}
	return out
}

func (f *file) grownScan(name, sizes string) jen.Code {
	return line("p.%s = ", name).Qual(supportModule, "Grow").Call(line("p.%s", name), jen.Qual(seriesModule, "Memory").Call(line("p.W.Len(), %s", sizes)))
}

// growScan makes the memory of a scan where workers go along the rows, each for draws of its own.
func (f *file) growScan(name string) []jen.Code {
	if f.Variational() == nil {
		return nil
	}
	return []jen.Code{f.grownScan(name+"Memory", f.scans[name+"Memory"])}
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

func (f *file) scanDeclarations() []jen.Code {
	var out []jen.Code
	for _, name := range f.scanFields() {
		out = append(out, jen.Id(name).Index().Float64().Comment("states, some of them"))
	}
	return out
}
