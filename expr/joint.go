package expr

import "slices"

// Joint is a Go function that computes several functions of the same operands together, for less than one after the other.
type Joint struct {
	Ops  []string
	Go   string
	Cost float64
}

// Joints lists the functions that come together.
var Joints = []Joint{
	{[]string{"lgamma_diff", "digamma_diff"}, "special.LgammaDigammaDiff", 24},
	{[]string{"softplus", "sigmoid"}, "special.SoftplusSigmoid", 30},
	{[]string{"log_ndtr", "ndtr_ratio"}, "special.LogNdtrRatio", 31},
	{[]string{"t_logcdf", "t_ratio"}, "special.TLogCDFRatio", 172},
	{[]string{"t_ratio", "t_logcdf_dnu"}, "special.TRatioDNu", 198},
	{[]string{"t_logcdf", "t_ratio", "t_logcdf_dnu"}, "special.TLogCDFRatioDNu", 200},
	{[]string{"t_quantile", "t_quantile_dnu"}, "special.TQuantileWithDNu", 650},
	{[]string{"gamma_quantile", "gamma_quantile_da"}, "special.GammaQuantileWithDA", 600},
}

// JointOf returns the function that computes n together with as many others of the same operands as possible, all of which
// wanted must hold for, and their nodes in its order; ok is false when there is none.
func JointOf(n *Node, candidates []*Node, wanted func(*Node) bool) (j Joint, nodes []*Node, ok bool) {
	for _, joint := range Joints {
		if !slices.Contains(joint.Ops, n.Op.Name) || len(joint.Ops) <= len(nodes) {
			continue
		}
		if found := joint.nodes(n, candidates, wanted); found != nil {
			j, nodes, ok = joint, found, true
		}
	}
	return j, nodes, ok
}

// nodes are those that apply the functions to the operands of n, nil when one is missing.
func (j Joint) nodes(n *Node, candidates []*Node, wanted func(*Node) bool) []*Node {
	out := make([]*Node, len(j.Ops))
	for i, name := range j.Ops {
		k := slices.IndexFunc(candidates, func(m *Node) bool {
			return m.Op.Name == name && slices.Equal(m.Args, n.Args) && wanted(m)
		})
		if k < 0 {
			return nil
		}
		out[i] = candidates[k]
	}
	return out
}

// Prepared is a type of package special whose methods compute functions of which one operand stays the same for many calls:
// Prepare(operand, calls) is called before a loop, and the methods take the other operands.
type Prepared struct {
	Type    string
	Operand int               // which stays the same
	Methods map[string]string // by the name of the function; by the Go function for those that are computed together
}

// Preparations lists the types.
var Preparations = []Prepared{
	{"special.GammaDiffs", 1, map[string]string{
		"lgamma_diff": "Lgamma", "digamma_diff": "Digamma", "special.LgammaDigammaDiff": "LgammaDigamma",
	}},
	{"special.TDistribution", 1, map[string]string{
		"t_logpdf": "LogPDF", "t_logcdf": "LogCDF", "t_ratio": "Ratio", "t_logcdf_dnu": "LogCDFDNu",
		"special.TLogCDFRatio": "LogCDFRatio", "special.TRatioDNu": "RatioDNu", "special.TLogCDFRatioDNu": "LogCDFRatioDNu",
	}},
	{"special.TQuantiles", 1, map[string]string{
		"t_quantile": "Quantile", "t_quantile_dnu": "QuantileDNu", "special.TQuantileWithDNu": "QuantileWithDNu",
	}},
}

// Preparation returns the type whose methods compute a function; ok is false when there is none.
func Preparation(op *Op) (Prepared, bool) {
	for _, p := range Preparations {
		if p.Methods[op.Name] != "" {
			return p, true
		}
	}
	return Prepared{}, false
}
