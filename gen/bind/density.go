package bind

import (
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/spec"
)

// targetPrefix keeps the symbols of the target apart from those of the surrogate: no formula can spell it.
const targetPrefix = "theta."

// target binds what is to be fitted, a distribution or a family.
func (b *binder) target(p *spec.Problem) *Density {
	if p.TargetFamily != nil {
		return b.familyDensity(p.TargetFamily, targetPrefix)
	}
	return b.distribution(p.TargetDist, targetPrefix)
}

// familyDensity is the density of an exponential family.
func (b *binder) familyDensity(f *spec.Family, prefix string) *Density {
	x := b.variable(f.Variable, prefix)
	fam := b.family(f, prefix, &x)
	if fam == nil {
		return nil
	}
	return &Density{Name: f.Name, Doc: f.Doc, Variable: x, Params: fam.Params, LogPDF: fam.logPDF(b.g), Span: f.NameSpan,
		Constants: b.constantsOf(f, fam.Params)}
}

// constantsOf are the constants of a family that the problem sets, by their symbols, in terms of the parameters of the
// density: what stands for them where there are no data.
func (b *binder) constantsOf(f *spec.Family, params []Param) map[*expr.Node]*expr.Node {
	own := map[string]*expr.Node{}
	for _, c := range f.AtStart {
		own[c.Name] = b.number(c.Formula, "at_start of family "+f.Name, nameMap(params))
	}
	out := map[*expr.Node]*expr.Node{}
	for name, s := range b.constants {
		if n := own[name]; n != nil {
			out[s] = n
		}
	}
	return out
}

// variable binds the observation: a symbol over the rows.
func (b *binder) variable(p spec.Param, prefix string) Param {
	if prefix == targetPrefix {
		prefix = "data."
	}
	return b.param(p, prefix, expr.Rows)
}

// distribution binds a distribution, with the names that its own file sees.
func (b *binder) distribution(d *spec.Distribution, prefix string) (out *Density) {
	b.within(d.Lookup, func() { out = b.distributionHere(d, prefix) })
	return out
}

func (b *binder) distributionHere(d *spec.Distribution, prefix string) *Density {
	out := &Density{Name: d.Name, Doc: d.Doc, Variable: b.variable(d.Variable, prefix), Span: d.NameSpan}
	out.Params = b.parameters(d.Parameters, prefix)
	names := nameMap(out.Params, []Param{out.Variable})
	what := "distribution " + d.Name
	names = b.let(d.Let, "let of "+what, names)
	if out.LogPDF = b.number(d.LogPDF, "logpdf of "+what, names); out.LogPDF == nil {
		return nil
	}
	if d.Sample != nil {
		delete(names, out.Variable.Name)
		out.Sample = b.draws(d.Sample.Noise, d.Sample.Values, "sample of "+what, names,
			func(name string) *expr.Node { return b.g.Sym("draw."+name, expr.Scalar, expr.Unknown) })
	}
	return out
}

// let binds local definitions and returns the names with them added, written out.
func (b *binder) let(bindings []spec.Binding, what string, names map[string]*expr.Node) map[string]*expr.Node {
	out := copyNames(names)
	for _, d := range b.defs(bindings, what, names, nil) {
		out[d.Name] = d.Node
	}
	return out
}

// draws binds random numbers and what is made of them.
func (b *binder) draws(noise []spec.Draw, values []spec.Binding, what string, names map[string]*expr.Node, sym func(string) *expr.Node) *Draws {
	out := &Draws{}
	names = copyNames(names)
	for _, d := range noise {
		if d.Shape.Kind != "" {
			b.diags.Errorf(d.Span, "arrays of random numbers are not supported yet")
		}
		draw := Draw{Kind: spec.Noise(d.Kind)}
		for _, a := range d.Args {
			draw.Args = append(draw.Args, b.number(a, what, names))
		}
		s := b.g.Sym("noise."+what+"."+d.Name, expr.Scalar, noiseFacts(draw.Kind, draw.Args))
		draw.Sym = s
		names[d.Name] = s
		out.Noise = append(out.Noise, draw)
	}
	out.Values = b.defs(values, what, names, sym)
	return out
}

// noiseFacts is what is known of a primitive random number.
func noiseFacts(k *spec.NoiseKind, args []*expr.Node) expr.Facts {
	r := expr.Range{Lo: k.Lo, Hi: k.Hi, LoOpen: k.LoOpen, HiOpen: true}
	if k.Between && len(args) == 2 {
		r = between(args[0], args[1])
	}
	return expr.Facts{Range: r, Integer: k.Integer}
}

// between is the interval between two numbers where they are constants.
func between(a, b *expr.Node) expr.Range {
	if a == nil || b == nil {
		return expr.Real
	}
	lo, ok1 := a.IsConst()
	hi, ok2 := b.IsConst()
	if !ok1 || !ok2 || !(lo < hi) {
		return expr.Real
	}
	return expr.Range{Lo: lo, Hi: hi}
}

// density handles calls such as normal.logpdf(x; mu, sigma2): the density of another distribution.
func (b *binder) density(builder *expr.Builder, c *syntax.Call) *expr.Node {
	name, method, _ := strings.Cut(c.Fun, ".")
	if method != "logpdf" {
		return builder.Fail(c, "write "+name+".logpdf(x; ...)", "unknown function %q", c.Fun)
	}
	d := b.callee(name)
	switch {
	case d == nil:
		return builder.Fail(c, "", "the density of %q cannot be used", name)
	case len(c.Args) != 1 || len(c.Params) != len(d.Params):
		return builder.Fail(c, "it has "+names(d.Params), "%s takes one value and, after a semicolon, %d parameters", c.Fun, len(d.Params))
	}
	by := map[*expr.Node]*expr.Node{}
	ok := true
	bind := func(s *expr.Node, e syntax.Expr) {
		by[s] = builder.Build(e)
		ok = ok && by[s] != nil
	}
	bind(d.Variable.Sym, c.Args[0])
	for i, e := range c.Params {
		bind(d.Params[i].Sym, e)
	}
	if !ok {
		return nil
	}
	return b.g.Substitute(d.LogPDF, by)
}

// callee binds a distribution or a family for a call of its density; nil when there is none, or it is faulty.
func (b *binder) callee(name string) *Density {
	dist, fam := b.lookup(name)
	prefix := "call." + name + "."
	switch {
	case fam != nil:
		constants, surrogate := b.constants, b.surrogate // of the problem, not of a density that is called
		b.constants, b.surrogate = nil, nil
		defer func() { b.constants, b.surrogate = constants, surrogate }()
		return b.familyDensity(fam, prefix)
	case dist != nil:
		return b.distribution(dist, prefix)
	}
	return nil
}

func names(ps []Param) string {
	var list []string
	for _, p := range ps {
		list = append(list, p.Name)
	}
	return strings.Join(list, ", ")
}
