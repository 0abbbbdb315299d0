// Package emit prints programs as Go. It is the only package that knows jennifer.
package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
)

// File is one generated file.
type File struct {
	Name string // slash-separated, relative to the directory of the package
	Data []byte
}

// file is the Go file of a package under construction.
type file struct {
	d       *derive.Result
	options Options
	stage   *plan.DataStage
	rows    *plan.RowSource // the rows of the model, with the data stage
	limited []limitStage    // of the limits
	decls   []jen.Code
	tables  program.Tables
	// programs are those of the functions.
	programs []*program.Program
	steps    []Step            // the same, with how they are called
	sources  []rowSource       // the same, with where their rows are
	draws    map[string][]Draw // random numbers that are made in front of them, by the name of the function; "" has none yet
	// ownSample is whether what is drawn from a mixture depends on the component that it is drawn from.
	ownSample bool
	solvers   []*expr.Lambda
	// integrators are the functions of which quadrature computes expectations.
	integrators []*expr.Lambda
	// solverNames are the names of the functions that solve equations.
	solverNames    map[*expr.Lambda]string
	slots          []program.Slots           // the workspace
	callers        []program.Slots           // of the workspace, what those use that call the solver that is being written
	scans          map[string]string         // fields for the memory of scans, with the lengths of what they carry
	systems        map[string]string         // fields for the memory of solvers, with their lengths
	preparedPrefix string                    // of these fields, of the model of a variational objective
	preparedTypes  map[string]preparedType   // fields for prepared functions, with their types
	noises         map[string]string         // fields for draws of vectors, with their lengths
	evaluates      map[program.Evaluate]bool // what is asked of the model of a variational objective
	// columnsBody and prepareBody are the bodies of the methods that compute the data stage.
	columnsBody, prepareBody []jen.Code
	constantsBody            []jen.Code // of the method that computes the constants of the families
	step, full, loss, domain Usage      // of one natural gradient, of one call of Gradients, of the loss, of Violation
	// unprinted is set where only programs are wanted, and no Go.
	unprinted bool
	// deferring is set while functions are postponed, deferred are these; stages counts the methods that are made of parts of them.
	deferring bool
	deferred  []*deferred
	stages    int
	// passes counts the methods that are passes over rows; owned is the memory that every worker has for itself, with its lengths. All that is
	// being written is, while ownsAll is set.
	passes  int
	cutting bool // the passes of what is planned are in ranges
	owned   map[string]string
	onStack map[*program.Place]bool // memory of blocks that is not in the workspace, as there is none
	ownsAll bool
}

// Options change what is emitted.
type Options struct {
	Source string // the path that the header names
	Passes pass.Options
	Costs  plan.Costs // nil for those of the table
}

// Emit writes the package of a problem: its code and its test.
func Emit(d *derive.Result, o Options) (files []File, err error) {
	defer unsupported(&err)
	f := newFile(d, o)
	f.functions()
	name := d.Problem.Spec.Package
	code, err := f.render(name, f.packageDoc(), f.decls)
	if err != nil {
		return nil, err
	}
	test, err := f.render(name, nil, f.tests())
	if err != nil {
		return nil, err
	}
	return []File{{name + ".go", code}, {name + "_test.go", test}}, nil
}

// Programs returns the programs of the functions of a package.
func Programs(d *derive.Result, o Options) (programs []*program.Program, err error) {
	defer unsupported(&err)
	f := newFile(d, o)
	f.unprinted = true
	f.functions()
	return f.programs, nil
}

// unsound is a fault of the planner that the verifier has found: no spec should lead to one.
type unsound struct{ fault error }

func (u unsound) Error() string {
	return "this is a fault of sngdgen; please report it with the spec: " + u.fault.Error()
}

// unsupported makes an error of what the planner has no code for, and of programs that are not sound.
func unsupported(err *error) {
	switch r := recover().(type) {
	case nil:
	case plan.Unsupported:
		*err = r
	case unsound:
		*err = r
	default:
		panic(r)
	}
}

// functions writes the functions of the package.
func (f *file) functions() {
	f.deferring = true
	f.surrogate()
	f.starts()
	f.contained()
	f.density()
	f.outside()
	f.unconstrained()
	f.fisher()
	f.objective()
	f.penalty()
	f.report()
	f.limits()
	f.mixtureMethods()
	f.drawMethods()
	f.exact()
	f.flush()
	if f.variational() != nil {
		f.variationalModel()
	} else {
		f.model()
	}
	f.tableVariables()
}

// newFile starts the file of a package.
func newFile(d *derive.Result, o Options) *file {
	stage := plan.NewDataStage(d.Problem.Graph)
	rows := &plan.RowSource{Sym: d.Problem.Target.Variable.Sym, Fixed: stage, Constants: d.Problem.ConstantSyms()}
	f := &file{d: d, options: o, stage: stage, rows: rows, noises: map[string]string{}, evaluates: map[program.Evaluate]bool{},
		draws: map[string][]Draw{}, solverNames: map[*expr.Lambda]string{}, systems: map[string]string{}, scans: map[string]string{}, preparedTypes: map[string]preparedType{}, onStack: map[*program.Place]bool{}}
	rows.Columns = f.givenColumns()
	if f.variational() != nil {
		f.rows = &plan.RowSource{Sym: rows.Sym, Columns: f.drawColumns()}
		if m := d.Problem.Mixture; m != nil {
			f.rows.Stratum = m.Own(d.Problem.Graph)
		}
	}
	for _, dim := range f.dims() {
		rows.Constants = append(rows.Constants, d.Problem.Graph.DimNode(dim))
	}
	return f
}

// Header is the first line of every generated file, as `go generate` and linters know it.
func Header(source string) string {
	if strings.ContainsFunc(source, func(r rune) bool { return !unicode.IsPrint(r) }) { // a line break would end the comment
		source = strconv.Quote(source)
	}
	return fmt.Sprintf("// Code generated by sngdgen from %s. DO NOT EDIT.", source)
}

// render prints declarations as a formatted file.
func (f *file) render(pkg string, doc []string, decls []jen.Code) ([]byte, error) {
	jf := jen.NewFile(pkg)
	jf.NoFormat = true // the file is formatted when its imports are in order
	jf.HeaderComment(Header(f.options.Source))
	for _, line := range doc {
		jf.PackageComment(commentLine(line))
	}
	jf.ImportName(module, "runtime")
	jf.ImportName(estimateModule, "estimate")
	jf.ImportName(supportModule, "support")
	jf.ImportName(typesModule, "types")
	jf.ImportName(workersModule, "workers")
	jf.ImportName(module+"/special", "special")
	jf.ImportName(module+"/solve", "solve")
	jf.ImportName(seriesModule, "series")
	jf.ImportName(module+"/random", "random")
	jf.ImportName(epModule, "ep")
	jf.ImportName(module+"/modeltest", "modeltest")
	jf.ImportName(densePkg, "dense")
	jf.ImportName("math/rand/v2", "rand")
	for _, d := range decls {
		jf.Add(d)
		jf.Line()
	}
	var raw bytes.Buffer
	if err := jf.Render(&raw); err != nil {
		return nil, err
	}
	// Again when lines are broken, and since comments are formatted where they stand next to what they are about, which the first
	// time brings about.
	formatted, err := format.Source(groupImports(raw.Bytes()))
	if err != nil {
		return nil, err
	}
	return format.Source(wrap(formatted))
}

// groupImports puts the packages of the standard library in front of the others, with a line between, as goimports does: it is the
// one thing of goimports that is needed, which would take a tenth of the time to build this program.
func groupImports(source []byte) []byte {
	const head = "import (\n"
	before, rest, ok := bytes.Cut(source, []byte(head))
	list, after, closed := bytes.Cut(rest, []byte("\n)\n"))
	if !ok || !closed {
		return source
	}
	var own, others []string
	for line := range strings.Lines(string(list) + "\n") {
		if path := line[strings.IndexByte(line, '"')+1:]; strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
			others = append(others, line)
		} else {
			own = append(own, line)
		}
	}
	grouped := strings.Join(own, "") + "\n" + strings.Join(others, "")
	return slices.Concat(before, []byte(head+grouped+")\n"), after)
}

// add appends a declaration under a comment, which begins with the name of what is declared.
func (f *file) add(comment string, c jen.Code) {
	name, _, _ := strings.Cut(comment, " ")
	f.nameProgram(name)
	f.decls = append(f.decls, jen.Add(comments(comment), c))
}

// nameProgram gives the programs that have been written for a function its name.
func (f *file) nameProgram(name string) {
	for i, p := range f.programs {
		if p.Name == "" {
			if p.Name = name; ofSteps(name) {
				f.cut(p, f.sources[i])
			}
		}
	}
	if made := f.draws[""]; len(made) > 0 {
		f.draws[name] = append(f.draws[name], made...)
		delete(f.draws, "")
	}
}

func comments(text string) *jen.Statement {
	out := jen.Null()
	for _, line := range strings.Split(text, "\n") {
		out = out.Comment(commentLine(line)).Line()
	}
	return out
}

// commentLine is a line of a comment; code, which is indented by a tab, has no space in front of it.
func commentLine(line string) string {
	if strings.HasPrefix(line, "\t") {
		return "//" + line
	}
	return strings.TrimRight("// "+line, " ")
}

// method is the start of a method of the model.
func method(name string) *jen.Statement {
	return jen.Func().Params(jen.Id("p").Op("*").Id("Model")).Id(name)
}

// short is a function of one short statement, in one line.
func short(signature *jen.Statement, body jen.Code) *jen.Statement {
	return signature.Op("{").Add(body).Op("}")
}

// floats is a parameter list of slices of float64.
func floats(names ...string) *jen.Statement {
	ids := make([]jen.Code, len(names))
	for i, n := range names {
		ids[i] = jen.Id(n)
	}
	return jen.List(ids...).Index().Float64()
}

// runtimeType is a type of package runtime.
func runtimeType(name string) *jen.Statement { return jen.Qual(module, name) }

// target and surrogate are the names of the two distributions.
func (f *file) target() string      { return f.d.Problem.Target.Name }
func (f *file) surrogateOf() string { return f.d.Problem.Surrogate.Name }

// coordInputs are the coordinates, read from z.
func (f *file) coordInputs() []plan.Input {
	return append(f.coordSlices(), f.dataInputs()...)
}

func (f *file) coordSlices() []plan.Input {
	var in []plan.Input
	at := f.coordLayout()
	for i, c := range f.d.Surrogate.Coords {
		in = append(in, at.input(program.Argument("z"), i, c.Sym, f.coordName(c)))
	}
	return in
}

// dataInputs are the numbers of the data that every kernel may use: the sum of the weights and the constants.
func (f *file) dataInputs() []plan.Input {
	in := f.sizes()
	for _, c := range f.d.Problem.Constants {
		in = append(in, plan.Input{Sym: c.Sym, From: program.Field("p", constantField(c.Sym))})
	}
	return in
}

// rowCount is the sum of the weights of the rows of the objective.
func (f *file) rowCount() *program.Given {
	if f.variational() != nil {
		return &program.Given{Kind: program.DrawsOf, Dim: f.components()}
	}
	return program.Field("p", "n")
}

// sizes are the sum of the weights and the lengths of the dimensions.
func (f *file) sizes() []plan.Input {
	in := []plan.Input{{Sym: f.d.Problem.Graph.Size(expr.Rows), From: f.rowCount()}}
	for _, d := range f.dims() {
		in = append(in, f.length(d))
	}
	return append(in, f.mixtureInputs()...)
}

// coordLayout is where the coordinates lie in z, thetaLayout where the parameters of the target lie in theta.
func (f *file) coordLayout() layout {
	l := layout{components: f.components()}
	for _, c := range f.d.Surrogate.Coords {
		l = l.add(place{c.Sym.Type, c.Free})
	}
	return l
}

func (f *file) thetaLayout() layout {
	l := layout{components: f.components()}
	for _, t := range f.d.Problem.Target.Params {
		l = l.add(place{Type: t.Sym.Type})
	}
	return l
}

// constantField is the field of the model that holds a constant.
func constantField(sym *expr.Node) string { return "const" + exported(derive.Plain(sym.Name)) }

// local is a local name for a value of the spec.
func (f *file) local(name string) string { return plan.Local(name, f.dims()) }

// defs are the standard parameters, and the names of the target's parameters.
func (f *file) surrogateDefs() ([]plan.Def, map[*expr.Node]string) {
	var defs []plan.Def
	for _, d := range f.d.Surrogate.Defs {
		defs = append(defs, plan.Def{Sym: d.Sym, Name: f.paramName(d.Sym, d.Name), Node: d.Node})
	}
	names := map[*expr.Node]string{}
	for _, t := range f.d.Surrogate.Theta {
		if t.Node.Op != expr.Const && t.Node.Op != expr.Sym {
			names[t.Node] = f.local(t.Name)
		}
	}
	names[f.rows.Sym] = f.local(f.d.Problem.Target.Variable.Name)
	return defs, names
}
