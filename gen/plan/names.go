package plan

import (
	"fmt"
	"go/doc"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program/wording"
)

// reserve keeps the names of inputs from being taken by others.
func (p *planner) reserve() {
	for _, in := range p.k.Inputs {
		p.taken[in.Name] = true
	}
	for _, o := range p.k.Outputs {
		p.taken[o.Name] = true
	}
	for _, d := range p.k.Dims {
		p.taken[DimName(d)] = true
	}
}

// distinct has what a kernel reads and delivers under names that differ. They are made of names of a spec, of which some differ in
// case alone: what is written of x and of X would both be gX.
func (k *Kernel) distinct() {
	k.Inputs, k.Outputs = slices.Clone(k.Inputs), slices.Clone(k.Outputs)
	var names []*string
	for i := range k.Inputs {
		names = append(names, &k.Inputs[i].Name)
	}
	for i := range k.Outputs {
		names = append(names, &k.Outputs[i].Name)
	}
	given, used := map[string]bool{"": true}, map[string]bool{}
	for _, name := range names {
		given[*name] = true
	}
	for _, name := range names {
		if own := *name; used[own] {
			for i := 2; given[*name]; i++ {
				*name = numbered(own, i)
			}
			given[*name] = true
		}
		used[*name] = *name != ""
	}
}

// localName makes a name that is not in use: the hint, or t0, t1, ...
func (p *planner) localName(hint string) string {
	if hint == "" {
		hint = fmt.Sprintf("t%d", p.temps)
		p.temps++
	}
	if taken(hint) {
		hint += "_"
	}
	name := hint
	for i := 2; p.taken[name]; i++ {
		name = numbered(hint, i)
	}
	p.taken[name] = true
	return name
}

// numbered makes the i-th variant of a name: sum2, but m1_2, and of a name that ends in _ because without it is reserved, w__2.
func numbered(name string, i int) string {
	if last := name[len(name)-1]; '0' <= last && last <= '9' || last == '_' {
		name += "_"
	}
	return fmt.Sprintf("%s%d", name, i)
}

// sumName names a sum or a largest value after the function that it reduces.
func sumName(n *expr.Node) string {
	what, x := reduction(n), n.Args[0]
	switch {
	case x.Op.Elementwise():
		return what + wording.Camel(x.Op.Name)
	case x.Op == expr.Sym:
		name, _, _ := strings.Cut(x.Name[strings.LastIndexByte(x.Name, '.')+1:], "$") // of a symbol that no formula can name
		return what + wording.Camel(name)
	}
	return what
}

// reduction is the word for a sum or a largest value.
func reduction(n *expr.Node) string {
	if n.Op == expr.Max {
		return "largest"
	}
	return "sum"
}

// dataName names a number of the data stage after what it is, "" when it has no name that says enough.
func dataName(n *expr.Node) string {
	if n.Op == expr.Sum {
		if name := sumName(n); name != "sum" {
			return name
		}
	}
	if sum, ok := isMean(n); ok {
		if name := strings.TrimPrefix(sumName(sum), "sum"); name != "" {
			return "mean" + name
		}
	}
	if n.Op == expr.Prod && len(n.Args) == 1 && isCount(n.Args[0]) && n.Coefs[0] == -1 {
		return "perRow"
	}
	return ""
}

// isMean reports whether a node is a sum divided by the sum of the weights, and which.
func isMean(n *expr.Node) (sum *expr.Node, ok bool) {
	if n.Op != expr.Prod || len(n.Args) != 2 {
		return nil, false
	}
	for i, a := range n.Args {
		if a.Op == expr.Sum && n.Coefs[i] == 1 && isCount(n.Args[1-i]) && n.Coefs[1-i] == -1 {
			return a, true
		}
	}
	return nil, false
}

func isCount(n *expr.Node) bool { return n.Op == expr.Sym && n.Name == expr.Rows.String() }

// Names of specs share the scopes of emitted functions, and the fields of the model, with names that are none of a spec's.
// Three functions keep them apart: Local and DimName name the values and the dimensions of a spec, localName what is planned.
// A test of package emit reads the declarations of emitted code: what is not named after the spec must be reserved here.

// fixed are the names that emitted code uses as they stand: of packages, functions, types, parameters and locals.
var fixed = words(`
	math special runtime support grouping workers workspace types rand random solve dense estimate context errors fmt testing modeltest log
	New NewWeighted LogDensity Model Theta unconstrained info blocks conditions starts TestModel BenchmarkModel Example ok
	p z v c u g h w b i j ij xs ws dst theta rng start end from to rows columns components sizes size comp own index last block row
	slices series scan slopes weight weights mass mean square solver value slope length parts half ctx settings result clone violated floor err logDensity ep factors predictors crew what`)

// fields are those of the model, which dimensions are too.
var fields = words(`
	x W N all allWeights full fullWeights batch batchWeights allocated blend labels draws drawWeights ratios drawn jointValues
	jointGradients logJoint logJoints logJointsOf logJointValue logJointGradient evaluated
	estimated estimates estimatesOf estimatedValue estimatedGradient allocate prepare
	constants count grouped groups label pass help randomStart nodes nodeWeights factorLogs fromMoments`)

// method matches the names that methods of the model may have.
var method = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z].`) })

func words(text string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for _, name := range strings.Fields(text) {
			m[name] = true
		}
		return m
	})
}

// made matches names that emitted code makes of others: a word, and a name in upper case or a number. Those in front are made
// by package emit of names that have been planned, so that none of these may be like them.
var (
	emitted = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^((block|row|rows|root|table)[A-Z0-9]|(block|row)_[A-Z])`)
	})
	made = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(all|allMat|allNum|allRow|allRows|allVec|batch|c|column|const|data|dim|dst|draw|fixed|full|g|argument|predictive|predicted|` +
			`gradient|direction|start|right|inv|logDet|weighted|diagonal|product|largest|limit|limits|mat|mean|model|noise|noises|num|own|p|perRow|` +
			`prepared|r|scratch|sum|system|t|theta|to|tq|u|v|vec|z)[A-Z0-9]|` +
			`^(attained|largest|total|prepared|perRow|chol|scratch|sum|freePi|pi|rho|labels|data|drawn|shared|stacked|piece|expectations|softmax|logSumExp|kept|` +
			`jointValues|jointGradients|ratios)(s|[0-9]|$)|^(argument|const|data|dim|draw|predicted|predictive)_[A-Z]|^xs[0-9]*_?$|^(coefficients|factor|group|linear|pass|slope|stage)[0-9]|^.+I[0-9]*$`)
	})
)

// taken reports whether a name is a word of Go, or one that emitted code uses or makes of planned names.
func taken(name string) bool {
	return token.IsKeyword(name) || doc.IsPredeclared(name) || fixed()[name] || emitted().MatchString(name)
}

// Reserved reports whether a name is one of emitted code: values and dimensions of a spec get another.
func Reserved(name string) bool {
	return taken(name) || made().MatchString(name) || functionValue(name)
}

// functionValue reports whether a name is that of a value of a function, one of several, or that for all components.
func functionValue(name string) bool {
	bare := func(s string) bool { return functionNames()[strings.TrimRight(s, "_0123456789")] }
	return bare(name) || bare(strings.TrimSuffix(name, "s"))
}

// functionNames are the names of values of functions of the language.
var functionNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, op := range expr.Functions {
		if strings.Contains(op.Name, "_") {
			names[wording.Function(op.Name)] = true
		}
	}
	return names
})

// Local is the local name of a value of a spec in a problem with the given dimensions. Names in specs do not end in _.
func Local(name string, dims []expr.Dim) string {
	if Reserved(name) || slices.ContainsFunc(dims, func(d expr.Dim) bool { return d.Name == name }) {
		return name + "_"
	}
	return name
}

// DimName is the local variable and the field of the model that hold the length of a dimension, or the number of one that is
// pinned.
func DimName(d expr.Dim) string {
	if d.Name == "" || !Reserved(d.Name) && !fields()[d.Name] && !method().MatchString(d.Name) {
		return d.String()
	}
	if method().MatchString(d.Name) { // rows and Rows are not one
		return "dim_" + d.Name
	}
	return "dim" + strings.ToUpper(d.Name[:1]) + d.Name[1:]
}
