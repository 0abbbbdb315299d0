// Package reference writes the reference of the language from the tables of the code, so that it cannot be wrong.
package reference

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// Markdown returns the reference.
func Markdown() []byte {
	var b bytes.Buffer
	b.WriteString("<!-- Written by go run ./internal/genlibrary from the tables of the code; do not edit. -->\n\n# Reference\n")
	typeTable(&b)
	functions(&b)
	linalg(&b)
	together(&b)
	noise(&b)
	library(&b)
	rules(&b)
	return b.Bytes()
}

func table(b *bytes.Buffer, title string, head ...string) func(cells ...string) {
	fmt.Fprintf(b, "\n## %s\n\n| %s |\n|%s\n", title, strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	return func(cells ...string) {
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}

func typeTable(b *bytes.Buffer) {
	row := table(b, "Types", "type", "meaning")
	for _, e := range types.Entries {
		name, doc := e.Name, e.Doc
		if e.Numbers {
			name, doc = name+"(m)", "a whole number from 1 to m: of an entry of what has that length"
		}
		if row(code(name), doc); e == types.Real {
			row(code("real(a, b)"), "a number between two numbers, of which one may be `infinity` or `-infinity`; also in front of a vector: `real(0, 10) vector(d)`")
		}
	}
	for _, f := range types.Forms[1:] {
		t := f.Of(types.Real)
		doc := t.Doc(f.Lengths...)
		if f == types.Vector {
			doc = "a vector of d real numbers; of others by a word in front: " + wordsOfVectors()
		}
		row(code(t.Written(f.Lengths...)), doc)
	}
	b.WriteString("\nDimensions are names or whole numbers.\n")
}

func wordsOfVectors() string {
	var list []string
	for _, e := range types.Entries[1:] {
		if e.Numbers {
			continue
		}
		list = append(list, code(types.Vector.Of(e).Written("d")))
	}
	return strings.Join(list, ", ")
}

func functions(b *bytes.Buffer) {
	row := table(b, "Functions", "function", "value", "domain", "range", "derivative")
	for _, op := range expr.Functions {
		operands := op.OperandNames()
		var domain, partials []string
		for i, o := range operands {
			domain = append(domain, o+" in "+op.Domain[i].String())
			if op.Partials[i] != "" && !op.Missing(i) {
				partials = append(partials, code(op.Partials[i]))
			}
		}
		row(code(op.Name+"("+strings.Join(operands, ", ")+")"), op.Doc, strings.Join(domain, ", "), op.Range.String(), strings.Join(partials, ", "))
	}
	b.WriteString("\nBesides these: `sqrt(x)`; `pi`; `root(a, F(a) = G(a))` and `root(a, F(a) = G(a), start)`, the solution of an equation in the\n" +
		"range of the parameter that it defines; `array(j in 1:m, f)` and `array(i in 1:m, j in 1:n, f)`, the vector and the matrix of the numbers f; `integral(u in (a, b), f)` and `series(k from 0, f)`, whose errors `check` estimates; `multivariate_lgamma(x, p)`, the logarithm of the gamma function of a\n" +
		"dimension p, and its derivative `multivariate_digamma(x, p)`; `name.logpdf(x; parameters)`, the density of another distribution. In starts, which\n" +
		"see all rows of the data: `sum`, `mean`, `var`, `sd`, each weighing the rows, `max(x)`, `min(x)`, and `n`, the sum of the\n" +
		"weights. In mixtures, of numbers that every component has: `logsumexp(x)` and `softmax(x)`.\n" +
		"Operators, loosest first: `+ -`, `* / @`, prefix `-`, `^` (to the right), postfix `'`.\n")
}

func linalg(b *bytes.Buffer) {
	row := table(b, "Linear algebra", "function", "value")
	for _, f := range expr.LinalgFunctions {
		row(code(f.Name+"("+strings.Join(operandsOf(f.Shapes), ", ")+")"), f.Doc)
	}
	row(code("eye(d)"), "identity matrix of a dimension")
	row(code("ones(d)"), "vector of ones of a dimension")
	row(code("range(d)"), "the vector 1, 2, ..., d of a dimension")
	row(code("x[2]")+", "+code("x[1:3]")+", "+code("A[i, j]"), "entries, counted from 1, of what has a known length")
	row(code("[a, b, c]"), "vector of numbers")
	b.WriteString("\n`A @ B` is the product of matrices, the right one possibly a vector; `A'` the transpose. Operators on\n" +
		"vectors, and functions such as `exp` on vectors and matrices, go entry by entry, and a number counts for every entry. Of the\n" +
		"operators, matrices take `+`, `-`, `@` and `'`, and numbers as factors.\n")
}

// operandsOf names the operands of a function of linear algebra by their shapes: A is a square matrix, x and y are
// vectors, and what may be either is called like a vector.
func operandsOf(shapes string) []string {
	var names []string
	vectors := []string{"x", "y"}
	for _, shape := range shapes {
		switch {
		case shape == 's':
			names = append(names, "A")
		case shape == '*' && len(names) > 0:
			names = append(names, "b")
		default:
			names, vectors = append(names, vectors[0]), vectors[1:]
		}
	}
	return names
}

// together lists what generated code computes by one call, and what it prepares for many.
func together(b *bytes.Buffer) {
	row := table(b, "Functions that are computed together", "functions of the same operands", "in generated code")
	for _, j := range expr.Joints {
		row(codes(j.Ops), code(j.Go))
	}
	row = table(b, "Functions that are prepared", "functions", "for an operand that is the same for all rows", "in generated code")
	for _, p := range expr.Preparations {
		var names []string
		for name := range p.Methods {
			if _, ok := expr.FunctionNamed(name); ok {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		row(codes(names), "the "+ordinals[p.Operand], code(p.Type))
	}
}

var ordinals = []string{"first", "second", "third"}

func noise(b *bytes.Buffer) {
	row := table(b, "Random numbers, under `noise` in `sample` and `random_start`", "write", "number")
	for _, k := range spec.NoiseKinds() {
		row(code(strings.Join(k.Forms(), "`, `")), k.Doc)
	}
	b.WriteString("\nA type after it makes an array of independent ones: `normal vector(d)`, `gamma(2) vector(k)`, `normal matrix(d, d)`.\n" +
		"Parameters that are vectors give one number for each entry.\n")
}

func library(b *bytes.Buffer) {
	lib := spec.Library()
	row := table(b, "Families (surrogates, and targets)", "name", "observation", "parameters", "")
	for _, name := range lib.Families() {
		f := lib.Family(name)
		row(code(name), param(f.Variable), params(f.Parameters), f.Doc)
	}
	row = table(b, "Distributions (targets)", "name", "observation", "parameters", "")
	for _, name := range lib.Distributions() {
		d := lib.Distribution(name)
		row(code(name), params(d.Observed()), params(d.Parameters), d.Doc)
	}
	row = table(b, "Approximations (of posteriors)", "name", "target", "contains", "")
	for _, name := range lib.Approximations() {
		a := lib.Approximation(name)
		var inner []string
		for _, c := range a.Contains {
			inner = append(inner, code(c.Approximation.Name))
		}
		row(code(name), code(a.TargetName()), strings.Join(inner, ", "), a.Doc)
	}
	row = table(b, "Problems", "name", "compiled in", "")
	for _, name := range lib.Problems() {
		in := ""
		if slices.Contains(lib.Compiled(), name) {
			in = "yes"
		}
		row(code(name), in, lib.Problem(name).Doc)
	}
	b.WriteString("\nProblems that are not compiled in are run by the engine, as specs of one's own are; `sngdgen generate NAME` writes the package.\n")
}

func rules(b *bytes.Buffer) {
	row := table(b, "Rules of the rewriter", "name", "class", "rule", "if")
	for _, r := range rewrite.Rules(rewrite.Exact, rewrite.Algebraic, rewrite.Stabilising) {
		var conds []string
		for _, c := range r.Conditions {
			conds = append(conds, c.Name+"("+c.Var+")")
		}
		row(r.Name, string(r.Class), code(r.Text), strings.Join(conds, ", "))
	}
	b.WriteString("\nThree rewritings look at costs before they decide, and so are code: Distribute multiplies out where enough cancels,\n" +
		"Collect takes common factors out of sums, and RankTwo puts outer products with one vector together. RoundTrip rules are made for each problem: a coordinate computed from standard\n" +
		"parameters that were computed from it is that coordinate. Definition rules are these, multiplied with what is inverted in\n" +
		"them: where eta2 is -inv(Sigma)/2, eta2 @ Sigma is -I/2.\n")
}

func code(s string) string { return "`" + s + "`" }

func codes(list []string) string {
	var out []string
	for _, s := range list {
		out = append(out, code(s))
	}
	return strings.Join(out, ", ")
}

func param(p spec.Param) string { return p.Name + ": " + p.Type.String() }

func params(ps []spec.Param) string {
	var list []string
	for _, p := range ps {
		list = append(list, param(p))
	}
	return strings.Join(list, ", ")
}
