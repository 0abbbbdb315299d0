package specgen

import "strings"

// pool are names that specs may use and emitted code uses too: of locals, fields, methods, functions and packages, Go's own
// words, functions of the language of formulas, and what the planner makes of names.
var pool = strings.Fields(`
	a b i d p z v c x w u g h j k s t y e r ij xs ws row rows block blocks err math len rng theta chol t0 t1 origin start end
	weight weights mass square solver value slope comp dense special random solve runtime dst data index last info
	conditions length columns sizes size settings result ctx clone parts labels blend full batch all x2 eta m prepared prepared0
	sumX sum2 blockSum rowT0 rowsX column0 data0 half scratch fixed0 func type range map nil true float64 string int
	append cap iota any error X Model New Info freePi lambda context fmt rand testing modeltest newModel beta
	gamma sigma2 mu Sigma nu log exp total dot vec0 mat0 num0 rows0 vecD0 own each draws scale drawn jointValues ratios f
	loss gradient hessian out name test digamma normal Data Settings Result allocate prepare count Sizes entry memory
	entries own0 noise0 noiseE drawE dataX allX batchX constOrigin perRow meanX low high free system rootA toA gA vA cA cholesky
	float gen wx y0 zero go return violated copy make new i0 h0`)

// names are the names in use in one place of a spec.
type names struct {
	r    *reader
	used map[string]bool
	// fields is true of the parameters of a target, the fields of a struct: no two of them may be the same with a capital.
	fields bool
}

func newNames(r *reader, used ...string) *names {
	return (&names{r: r, used: map[string]bool{}}).with(used)
}

// newFields are names of which no two are the same with a capital.
func newFields(r *reader, used ...string) *names {
	return (&names{r: r, used: map[string]bool{}, fields: true}).with(used)
}

func (ns *names) with(used []string) *names {
	for _, name := range used {
		ns.use(name)
	}
	return ns
}

// use keeps a name from being taken.
func (ns *names) use(name string) { ns.used[ns.key(name)] = true }

func (ns *names) free(name string) bool { return !ns.used[ns.key(name)] }

// key is what a name must differ in from others.
func (ns *names) key(name string) string {
	if ns.fields {
		return strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}

// take takes a name that is free.
func (ns *names) take() string {
	i := ns.r.below(256)
	for !ns.free(ns.r.name(i)) {
		i++
	}
	ns.use(ns.r.name(i))
	return ns.r.name(i)
}
