package engine

import "github.com/sngdgen/sngdgen/runtime/special"

// joints are the functions that are computed together, by their names in Go.
var joints = map[string]func(x, to []float64){
	"special.LgammaDigammaDiff": func(x, to []float64) { to[0], to[1] = special.LgammaDigammaDiff(x[0], x[1]) },
	"special.SoftplusSigmoid":   func(x, to []float64) { to[0], to[1] = special.SoftplusSigmoid(x[0]) },
	"special.LogNdtrRatio":      func(x, to []float64) { to[0], to[1] = special.LogNdtrRatio(x[0]) },
	"special.TLogCDFRatio":      func(x, to []float64) { to[0], to[1] = special.TLogCDFRatio(x[0], x[1]) },
	"special.TRatioDNu":         func(x, to []float64) { to[0], to[1] = special.TRatioDNu(x[0], x[1]) },
	"special.TLogCDFRatioDNu":   func(x, to []float64) { to[0], to[1], to[2] = special.TLogCDFRatioDNu(x[0], x[1]) },
	"special.TQuantileWithDNu":  func(x, to []float64) { to[0], to[1] = special.TQuantileWithDNu(x[0], x[1]) },
	"special.GammaQuantileWithDA": func(x, to []float64) {
		to[0], to[1] = special.GammaQuantileWithDA(x[0], x[1])
	},
}

// prepared is memory of functions that have been prepared for an operand, of one of the types.
type prepared struct {
	gammas    special.GammaDiffs
	student   special.TDistribution
	quantiles special.TQuantiles
}

// prepare prepares the functions of a type.
func (p *prepared) prepare(typ string, x float64, calls int) {
	switch typ {
	case "special.GammaDiffs":
		p.gammas.Prepare(x, calls)
	case "special.TDistribution":
		p.student.Prepare(x, calls)
	case "special.TQuantiles":
		p.quantiles.Prepare(x, calls)
	default:
		unsupported("preparation of %s", typ)
	}
}

// specials are those of the types.
var specials = map[string]func(p *prepared, x, to []float64){
	"GammaDiffs.Lgamma":            func(p *prepared, x, to []float64) { to[0] = p.gammas.Lgamma(x[0]) },
	"GammaDiffs.Digamma":           func(p *prepared, x, to []float64) { to[0] = p.gammas.Digamma(x[0]) },
	"GammaDiffs.LgammaDigamma":     func(p *prepared, x, to []float64) { to[0], to[1] = p.gammas.LgammaDigamma(x[0]) },
	"TDistribution.LogPDF":         func(p *prepared, x, to []float64) { to[0] = p.student.LogPDF(x[0]) },
	"TDistribution.LogCDF":         func(p *prepared, x, to []float64) { to[0] = p.student.LogCDF(x[0]) },
	"TDistribution.Ratio":          func(p *prepared, x, to []float64) { to[0] = p.student.Ratio(x[0]) },
	"TDistribution.LogCDFDNu":      func(p *prepared, x, to []float64) { to[0] = p.student.LogCDFDNu(x[0]) },
	"TDistribution.LogCDFRatio":    func(p *prepared, x, to []float64) { to[0], to[1] = p.student.LogCDFRatio(x[0]) },
	"TDistribution.RatioDNu":       func(p *prepared, x, to []float64) { to[0], to[1] = p.student.RatioDNu(x[0]) },
	"TDistribution.LogCDFRatioDNu": func(p *prepared, x, to []float64) { to[0], to[1], to[2] = p.student.LogCDFRatioDNu(x[0]) },
	"TQuantiles.Quantile":          func(p *prepared, x, to []float64) { to[0] = p.quantiles.Quantile(x[0]) },
	"TQuantiles.QuantileDNu":       func(p *prepared, x, to []float64) { to[0] = p.quantiles.QuantileDNu(x[0]) },
	"TQuantiles.QuantileWithDNu":   func(p *prepared, x, to []float64) { to[0], to[1] = p.quantiles.QuantileWithDNu(x[0]) },
}
