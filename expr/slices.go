package expr

import "math"

// Sliced is a function of package special that computes for all numbers of a slice what one in Go computes for one number.
type Sliced struct {
	Of   string // the function of one number, as functions and joints have it; of what has been prepared the method
	Name string // in package special: results first, then what they are of, then what has been prepared
	Cost float64
	// Type is that of what has been prepared, "" for functions of one number. Of such methods the table of functions has no costs.
	Type  string
	Was   float64 // the cost of the method
	Power float64 // the exponent of x, of powers, which are no functions of the table; 0 of others
}

// Slices lists them. Costs are those of a number, where there are kernels in assembly.
var Slices = append([]Sliced{
	{Name: "Inverses", Cost: 1, Power: -1},
	{Name: "InverseRoots", Cost: 3, Power: -0.5},
	{Of: "special.Exp", Name: "Exps", Cost: 1},
	{Of: "special.Log", Name: "Logs", Cost: 1},
	{Of: "math.Expm1", Name: "Expm1s", Cost: 2},
	{Of: "math.Log1p", Name: "Log1ps", Cost: 2},
	{Of: "special.Sigmoid", Name: "Sigmoids", Cost: 2},
	{Of: "special.Softplus", Name: "Softpluses", Cost: 5},
	{Of: "special.LogNdtr", Name: "LogNdtrs", Cost: 7},
	{Of: "special.NdtrRatio", Name: "NdtrRatios", Cost: 5},
	{Of: "special.SoftplusSigmoid", Name: "SoftplusSigmoids", Cost: 6},
	{Of: "special.LogNdtrRatio", Name: "LogNdtrRatios", Cost: 9},
}, preparedSlices...)

// SlicedPower is what computes a power for slices; ok is false when nothing does.
func SlicedPower(power float64) (s Sliced, ok bool) {
	for _, s := range Slices {
		if s.Power != 0 && s.Power == power {
			return s, true
		}
	}
	return Sliced{}, false
}

// powerOp is a power as a function of one number, rounded as products are.
func powerOp(power float64) *Op {
	op := &Op{Name: "inverse", Arity: 1, Cost: ProductCost([]float64{power}), Eval: func(x []float64) float64 { return 1 / x[0] }}
	if power == -0.5 {
		op.Name, op.Eval = "inverse_root", func(x []float64) float64 { return 1 / math.Sqrt(x[0]) }
	}
	return op
}

// preparedSlices are those of what has been prepared: the kernel of Student's t computes all of its functions at once.
var preparedSlices = []Sliced{
	{Of: "Lgamma", Name: "LgammaDiffs", Cost: 5, Type: "special.GammaDiffs", Was: 13},
	{Of: "Digamma", Name: "DigammaDiffs", Cost: 5, Type: "special.GammaDiffs", Was: 13},
	{Of: "LgammaDigamma", Name: "LgammaDigammaDiffs", Cost: 5, Type: "special.GammaDiffs", Was: 15},
	{Of: "LogPDF", Name: "TLogPDFs", Cost: 4, Type: "special.TDistribution", Was: 12},
	{Of: "LogCDF", Name: "TLogCDFs", Cost: 8, Type: "special.TDistribution", Was: 13},
	{Of: "Ratio", Name: "TRatios", Cost: 8, Type: "special.TDistribution", Was: 14},
	{Of: "LogCDFDNu", Name: "TLogCDFDNus", Cost: 8, Type: "special.TDistribution", Was: 14},
	{Of: "LogCDFRatio", Name: "TLogCDFRatios", Cost: 8, Type: "special.TDistribution", Was: 16},
	{Of: "RatioDNu", Name: "TRatioDNus", Cost: 8, Type: "special.TDistribution", Was: 17},
	{Of: "LogCDFRatioDNu", Name: "TLogCDFRatioDNus", Cost: 8, Type: "special.TDistribution", Was: 19},
}

// SlicedOf is what computes a function, by its name in Go, for slices; ok is false when nothing does.
func SlicedOf(of string) (s Sliced, ok bool) { return slicedOf("", of) }

// SlicedMethod is what computes a method of a type of Preparations for slices; ok is false when nothing does.
func SlicedMethod(typ, method string) (s Sliced, ok bool) { return slicedOf(typ, method) }

func slicedOf(typ, of string) (s Sliced, ok bool) {
	for _, s := range Slices {
		if s.Type == typ && s.Of == of {
			return s, true
		}
	}
	return Sliced{}, false
}

// function is the name in Go of what a method computes without preparation.
func (s Sliced) function() string {
	for _, p := range Preparations {
		for name, method := range p.Methods {
			if p.Type != s.Type || method != s.Of {
				continue
			}
			if op, ok := FunctionNamed(name); ok {
				return op.Go
			}
			return name
		}
	}
	return s.Of
}

// Ops are the functions that come out, in their order.
func (s Sliced) Ops() []*Op {
	if s.Power != 0 {
		return []*Op{powerOp(s.Power)}
	}
	of := s.function()
	for _, op := range Functions {
		if op.Go == of {
			return []*Op{op}
		}
	}
	var out []*Op
	for _, j := range Joints {
		if j.Go != of {
			continue
		}
		for _, name := range j.Ops {
			op, _ := FunctionNamed(name)
			out = append(out, op)
		}
	}
	return out
}
