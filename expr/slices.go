package expr

// Sliced is a function of package special that computes for all numbers of a slice what one in Go computes for one number.
type Sliced struct {
	Of   string // the function of one number, as functions and joints have it
	Name string // in package special: results first, then what they are of
	Cost float64
}

// Slices lists them. Costs are those of a number, where there are kernels in assembly.
var Slices = []Sliced{
	{"special.Exp", "Exps", 1},
	{"special.Log", "Logs", 1},
	{"math.Expm1", "Expm1s", 2},
	{"math.Log1p", "Log1ps", 2},
	{"special.Sigmoid", "Sigmoids", 2},
	{"special.Softplus", "Softpluses", 5},
	{"special.SoftplusSigmoid", "SoftplusSigmoids", 6},
	{"special.LogNdtrRatio", "LogNdtrRatios", 9},
}

// SlicedOf is what computes a function, by its name in Go, for slices; ok is false when nothing does.
func SlicedOf(of string) (s Sliced, ok bool) {
	for _, s := range Slices {
		if s.Of == of {
			return s, true
		}
	}
	return Sliced{}, false
}

// Ops are the functions that come out, in their order.
func (s Sliced) Ops() []*Op {
	for _, op := range Functions {
		if op.Go == s.Of {
			return []*Op{op}
		}
	}
	var out []*Op
	for _, j := range Joints {
		if j.Go != s.Of {
			continue
		}
		for _, name := range j.Ops {
			op, _ := FunctionNamed(name)
			out = append(out, op)
		}
	}
	return out
}
