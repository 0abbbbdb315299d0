package methods

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// latents are what runtime.Variational asks of every draw.
func (f *Package) latents() {
	v := f.Variational()
	f.ofDraws("Latents", map[string]*expr.Node{plan.DrawnColumn: v.Latents})
	f.ofDraws("LogDensities", map[string]*expr.Node{ratiosColumn: v.LogQ, plan.DrawnColumn: v.Latents})
	f.ratios("Weights", v.KnownRatio)
	if v.FinerRatio != nil {
		f.ratios("FinerWeights", v.FinerRatio)
	}
}

// ratios is a method that stores ratios of every draw, after LogDensities.
func (f *Package) ratios(name string, ratio *expr.Node) {
	v := f.Variational()
	k, rows := f.surrogateKernel(false), *f.Rows
	rows.Columns = map[*expr.Node]string{v.KnownLatents: plan.DrawnColumn, v.KnownLogQ: ratiosColumn}
	k.Rows, k.Stores = &rows, []plan.Output{{To: program.Field("p", ratiosColumn), Node: ratio}}
	f.add(name, k, called{DrawRows, false, true, false})
}

// ratiosColumn has what Weights and LogDensities give, for every draw.
const ratiosColumn = "ratios"

// ofDraws is a method that stores something of every draw in columns. The components of a mixture are given draws in the proportion of their
// weights first.
func (f *Package) ofDraws(name string, to map[string]*expr.Node) {
	if m := f.Mixture(); m != nil {
		f.add(name, f.surrogateKernel(false, f.weightsTo(program.Field("p", "weights"), m.Weights)), called{DrawRows, false, true, false})
	}
	k := f.surrogateKernel(false)
	for _, column := range slices.Sorted(maps.Keys(to)) {
		k.Stores = append(k.Stores, plan.Output{To: program.Field("p", column), Node: to[column]})
	}
	f.add(name, k, called{DrawRows, false, true, false})
}

// exact are the methods of runtime.Exact: the bound without draws, whose rows are the data.
func (f *Package) exact() {
	x := f.Variational().Exact
	loss := result(x.Loss)
	kernel := func(name string, outputs []plan.Output) {
		nodes := make([]*expr.Node, len(outputs))
		for i, o := range outputs {
			nodes[i] = o.Node
		}
		for i, n := range f.d.Problem.Graph.JoinExpectations(nodes) {
			outputs[i].Node = n
		}
		k := f.surrogateKernel(true, outputs...)
		k.Inputs = f.coordSlices()
		f.overData(k)
		f.keepPieces(k)
		f.add(name, k, called{OwnRows, true, true, false})
	}
	kernel("ExactGradients", append(append(f.coordOutputs("v", x.Natural), f.coordOutputs("c", x.Covector)...), loss))
	kernel("ExactLoss", []plan.Output{loss})
}

// Evaluation is a way to ask for the log joint density, with the name of its method for one draw.
type Evaluation struct {
	program.Evaluate
	One string
}

// Evaluations are all ways.
var Evaluations = []Evaluation{
	{program.Evaluate{Values: true, Gradients: true}, "logJoint"},
	{program.Evaluate{Values: true}, "logJointValue"},
	{program.Evaluate{Gradients: true}, "logJointGradient"},
	{program.Evaluate{Values: true, Gradients: true, Terms: expr.EstimatedTerms}, "estimated"},
	{program.Evaluate{Values: true, Terms: expr.EstimatedTerms}, "estimatedValue"},
	{program.Evaluate{Gradients: true, Terms: expr.EstimatedTerms}, "estimatedGradient"},
	{program.Evaluate{Values: true, Terms: expr.FinerTerms}, "finerValue"},
}

// AllDraws are the methods for all draws.
var AllDraws = [...]string{expr.AllTerms: "logJoints", expr.EstimatedTerms: "estimates", expr.FinerTerms: "finerValues"}

// Evaluated are the ways in which programs of the objective ask for the log joint density, or for some of its terms.
func (f *Package) Evaluated(terms expr.Terms) (out []Evaluation) {
	for _, e := range Evaluations {
		if e.Terms == terms && f.Evaluates(e.Evaluate) {
			out = append(out, e)
		}
	}
	return out
}

// Evaluates reports whether a program of the objective asks for the log joint density in a way.
func (f *Package) Evaluates(e program.Evaluate) bool {
	found := false
	for _, p := range f.Programs {
		program.Walk(p.Body, func(s program.Stmt) {
			if asks, ok := s.(*program.Evaluate); ok {
				found = found || *asks == e
			}
		})
	}
	return found
}

// logJoint are the methods that evaluate the model of the latent variables at one draw, for the value, the gradient or both: what is not asked
// for is not computed. Their rows are those of the data.
func (f *Package) logJoint() {
	m := f.Variational().Model
	for _, e := range Evaluations {
		if !f.Evaluates(e.Evaluate) {
			continue
		}
		k, at := f.modelKernel(), f.LatentLayout()
		value, gradient := m.Of(e.Terms)
		if q := m.Parted[e.Terms]; q != nil {
			value, gradient = q.Value, q.Gradient
			f.readPredictors(k, q, e.Gradients)
		}
		if e.Gradients {
			for i, q := range m.Latent {
				k.Outputs = append(k.Outputs, at.output(program.Argument("g"), i, gradient[i], "g"+exported(q.Name), false))
			}
		}
		if e.Values {
			k.Outputs = append(k.Outputs, result(value))
		}
		f.keepPieces(k)
		f.add(e.One, k, called{rows: OwnRows, ranged: true})
	}
}

// predict draws data: random number after random number, with a pass over the rows in front of those whose parameters are formulas; the data
// are a last pass.
func (f *Package) predict() {
	q, drawn := f.Predicts(), map[*expr.Node]string{}
	pass := func(stores []plan.Output) {
		if len(stores) == 0 {
			return
		}
		k := f.modelKernel()
		for sym, field := range drawn {
			k.Rows.Columns[sym] = field
		}
		for i, o := range stores {
			if !o.Node.Type.Axes.Has(expr.Rows) { // the same in all rows
				stores[i].Node = f.d.Problem.Graph.Fresh("shared", o.Type, o.Node.Facts)
				k.Defs = append(k.Defs, plan.Def{Sym: stores[i].Node, Name: "shared", Node: o.Node})
			}
		}
		k.Stores = stores
		f.add("Predict", k, called{rows: OwnRows})
	}
	for _, d := range q.Noise {
		var stores []plan.Output
		for i := range d.Kind.Params {
			if !f.IsNumber(d, i) {
				stores = append(stores, plan.Output{To: program.Field("p", ArgumentField(d, i)), Node: d.Args[i], Type: d.Sym.Type})
			}
		}
		pass(stores)
		drawn[d.Sym] = PredictiveField(d)
	}
	var stores []plan.Output
	for i, x := range q.Data {
		stores = append(stores, plan.Output{To: program.Field("p", PredictedField(x)), Node: q.Values[i], Type: x.Sym.Type})
	}
	pass(stores)
}

// reported is what reports show: the latent variables in the user's units, and further quantities.
func (f *Package) reported() {
	v, k := f.Variational(), f.modelKernel()
	var at Layout
	for _, q := range v.Reported {
		at = at.Add(Place{Type: CoreOf(q.Node.Type)})
	}
	for i, q := range v.Reported {
		k.Outputs = append(k.Outputs, at.output(program.Argument("dst"), i, q.Node, "dst"+exported(q.Name), q.Kind.Type.Form.Has(types.Symmetric)))
	}
	arraysFirst(k)
	f.add("Reported", k, called{rows: OwnRows})
}

// FactorColumn is the field with the values of a factor at predictors.
const FactorColumn = "factorLogs"

// factors are the methods of ep.Model.
func (f *Package) factors() {
	s := f.Sites()
	for k := range s.Parts {
		part, names := &s.Parts[k], s.Parts[k].Names(k)
		f.factor(part, names)
		for j, name := range names.Coefficients {
			f.coefficients(part.Coefs[j], name)
		}
	}
	k, at := f.modelKernel(), f.LatentLayout()
	for i, q := range f.Variational().Model.Latent {
		k.Outputs = append(k.Outputs, at.output(program.Argument("g"), i, s.Gradient[i], "g"+exported(q.Name), false))
	}
	k.Outputs = append(k.Outputs, result(s.Quadratic))
	f.add("Quadratic", k, called{rows: OwnRows})
	theta := Layout{}.Add(Place{Type: s.Mean.Type}).Add(Place{Type: s.Covariance.Type})
	f.start("fromMoments", &s.Moments, []plan.Input{theta.input(program.Argument("theta"), 0, s.Mean, "startMean"),
		theta.input(program.Argument("theta"), 1, s.Covariance, "startCovariance")})
}

// factor evaluates the factor of a row at many predictors.
func (f *Package) factor(part *derive.Part, names derive.PartNames) {
	columns := map[*expr.Node]string{}
	for k, z := range part.S {
		columns[z] = names.Predictors[k]
	}
	f.add(names.Factor, &plan.Kernel{Inputs: f.ofRow(), Rows: &plan.RowSource{Sym: f.Rows.Sym, Columns: columns},
		Stores: []plan.Output{{To: program.Field("p", FactorColumn), Node: part.H}}}, called{rows: PredictorRows})
}

// coefficients are those of a predictor of a row.
func (f *Package) coefficients(coefs []*expr.Node, name string) {
	k := &plan.Kernel{Inputs: f.ofRow()}
	at := f.LatentLayout()
	for i, c := range coefs {
		if c != nil {
			k.Outputs = append(k.Outputs, at.output(program.Argument("g"), i, c, "g"+exported(f.Variational().Model.Latent[i].Name), false))
		}
	}
	f.add(name, k, called{})
}

// stack computes what is stacked besides numbers and data as they are, for every row.
func (f *Package) stack() {
	pieces := f.Pieces()
	if len(pieces) == 0 {
		return
	}
	k := &plan.Kernel{}
	f.overData(k)
	for i, n := range pieces {
		k.Stores = append(k.Stores, plan.Output{To: program.Field("p", PieceField(i)), Node: f.stable(n)[0], Type: CoreOf(n.Type)})
	}
	f.add("SetData", k, called{rows: OwnRows})
}

// integrals compute expectations by quadrature.
func (f *Package) integrals() {
	for done := 0; done < len(f.IntegralOrder); done++ { // an integral may be of others
		fn := f.IntegralOrder[done]
		in, _ := SolverParams(fn)
		in = append(in, plan.Input{Sym: fn.Vars[0], From: program.Argument("t")})
		var at []plan.Output
		for i, eq := range f.d.Problem.Graph.JoinExpectations(f.stable(fn.Eqs...)) {
			at = append(at, plan.Output{Name: fmt.Sprintf("value%d", i+1), Node: eq})
		}
		f.add(f.Integrals[fn], &plan.Kernel{Inputs: in, Outputs: at}, called{})
	}
}
