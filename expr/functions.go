package expr

import (
	"math"
	"slices"
	"strconv"

	"github.com/sngdgen/sngdgen/runtime/special"
)

// Functions is the table of elementwise functions: one row says everything the rest of the compiler needs. A function
// exists for the parser, the type checker, the interpreter, both modes of differentiation, the printers, the emitter
// and the tests because it has a row here.
var Functions = []*Op{
	unary("exp", "exponential", Real, Positive, 1, special.Exp, "exp(x)", "special.Exp", `\exp\left(#1\right)`, 10),
	unary("expm1", "exp(x) - 1, accurate near 0", Real, Range{-1, inf, true, true}, 1, math.Expm1, "exp(x)", "math.Expm1", `\operatorname{expm1}\left(#1\right)`, 14),
	unary("log", "natural logarithm", Positive, Real, 1, special.Log, "1/x", "special.Log", `\log\left(#1\right)`, 10),
	unary("log1p", "log(1 + x), accurate near 0", Range{-1, inf, true, true}, Real, 1, math.Log1p, "1/(1 + x)", "math.Log1p", `\operatorname{log1p}\left(#1\right)`, 15),
	unary("abs", "absolute value", Real, Nonnegative, 0, math.Abs, "sign(x)", "math.Abs", `\left|#1\right|`, 1),
	unary("sign", "sign: -1, 0 or 1", Real, Signed, 0, special.Sign, "0", "special.Sign", `\operatorname{sign}\left(#1\right)`, 1),
	unary("lgamma", "logarithm of the gamma function", Positive, Real, 0, special.Lgamma, "digamma(x)", "special.Lgamma", `\log\Gamma\left(#1\right)`, 17),
	unary("digamma", "derivative of lgamma", Positive, Real, 1, special.Digamma, "trigamma(x)", "special.Digamma", `\psi\left(#1\right)`, 16),
	unary("trigamma", "derivative of digamma", Positive, Positive, -1, special.Trigamma, "tetragamma(x)", "special.Trigamma", `\psi'\left(#1\right)`, 8),
	unary("tetragamma", "derivative of trigamma", Positive, Negative, 1, special.Tetragamma, "polygamma(3, x)", "special.Tetragamma", `\psi''\left(#1\right)`, 9),
	unary("digamma_log", "digamma(x) - log(x), accurate for large x", Positive, Negative, 1, special.DigammaLog, "trigamma_inv(x)", "special.DigammaLog", `\left(\psi - \log\right)\left(#1\right)`, 11),
	unary("trigamma_inv", "trigamma(x) - 1/x, accurate for large x", Positive, Positive, -1, special.TrigammaInv, "tetragamma_inv2(x)", "special.TrigammaInv", `\left(\psi' - 1/\cdot\right)\left(#1\right)`, 9),
	unary("tetragamma_inv2", "tetragamma(x) + 1/x^2, accurate for large x", Positive, Negative, 1, special.TetragammaInv2, "polygamma(3, x + 1) + (6/x - 2)/x^3", "special.TetragammaInv2", `\left(\psi'' + 1/\cdot^2\right)\left(#1\right)`, 8),
	binary("lgamma_diff", "lgamma(x + y) - lgamma(y), accurate for large y", special.LgammaDiff, Real, "digamma(x + y)", "digamma_diff(x, y)", "special.LgammaDiff", `\left[\log\Gamma\right]_{#2}^{#2 + #1}`, 22),
	binary("digamma_diff", "digamma(x + y) - digamma(y), accurate for large y", special.DigammaDiff, Nonnegative, "trigamma(x + y)", "trigamma_diff(x, y)", "special.DigammaDiff", `\left[\psi\right]_{#2}^{#2 + #1}`, 12),
	binary("trigamma_diff", "trigamma(x + y) - trigamma(y), accurate for large y", special.TrigammaDiff, Nonpositive, "tetragamma(x + y)", "tetragamma_diff(x, y)", "special.TrigammaDiff", `\left[\psi'\right]_{#2}^{#2 + #1}`, 14),
	binary("tetragamma_diff", "tetragamma(x + y) - tetragamma(y), accurate for large y", special.TetragammaDiff, Nonnegative, "polygamma(3, x + y)", "polygamma(3, x + y) - polygamma(3, y)", "special.TetragammaDiff", `\left[\psi''\right]_{#2}^{#2 + #1}`, 16),
	polygamma(),
	unary("erf", "error function", Real, Range{-1, 1, true, true}, 1, math.Erf, "2/sqrt(pi)*exp(-x^2)", "math.Erf", `\operatorname{erf}\left(#1\right)`, 25),
	unary("ndtr", "standard normal distribution function", Real, Unit, 1, special.Ndtr, "exp(-x^2/2)/sqrt(2*pi)", "special.Ndtr", `\Phi\left(#1\right)`, 22),
	unary("log_ndtr", "logarithm of ndtr, accurate in the tails", Real, Negative, 1, special.LogNdtr, "ndtr_ratio(x)", "special.LogNdtr", `\log\Phi\left(#1\right)`, 30),
	unary("ndtr_ratio", "standard normal density divided by ndtr", Real, Positive, -1, special.NdtrRatio, "-ndtr_ratio(x)*ndtr_residual(x)", "special.NdtrRatio", `\frac{\phi}{\Phi}\left(#1\right)`, 19),
	unary("ndtr_residual", "x + ndtr_ratio(x), accurate in the left tail", Real, Positive, 1, special.NdtrResidual, "1 - ndtr_ratio(x)*ndtr_residual(x)", "special.NdtrResidual", `\left(\cdot + \frac{\phi}{\Phi}\right)\left(#1\right)`, 20),
	unary("normal_quantile", "quantile of the standard normal distribution, the inverse of ndtr", Unit, Real, 1, special.NormalQuantile, "normal_quantile_du(x)", "special.NormalQuantile", `\Phi^{-1}\left(#1\right)`, 30),
	unary("normal_quantile_du", "derivative of normal_quantile", Unit, Positive, 0, special.NormalQuantileDU, "normal_quantile(x)*normal_quantile_du(x)^2", "special.NormalQuantileDU", `\left(\Phi^{-1}\right)'\left(#1\right)`, 50),
	student("t_logpdf", "log-density of Student's t with y degrees of freedom", Real, Real, special.TLogPDF, "-(y + 1)*x/(y + x^2)", tLogPDFDNu, "special.TLogPDF", `\log t_{#2}\left(#1\right)`, 90),
	student("t_cdf", "distribution function of Student's t with y degrees of freedom", Real, Unit, special.TCDF, "t_cdf(x, y)*t_ratio(x, y)", "t_cdf(x, y)*t_logcdf_dnu(x, y)", "special.TCDF", `T_{#2}\left(#1\right)`, 150),
	student("t_logcdf", "logarithm of t_cdf, accurate in the tails", Real, Negative, special.TLogCDF, "t_ratio(x, y)", "t_logcdf_dnu(x, y)", "special.TLogCDF", `\log T_{#2}\left(#1\right)`, 170),
	student("t_ratio", "density of Student's t divided by its distribution function", Real, Positive, special.TRatio, "-t_ratio(x, y)*(t_ratio(x, y) + (y + 1)*x/(y + x^2))", tRatioDNu, "special.TRatio", `\frac{t_{#2}}{T_{#2}}\left(#1\right)`, 150),
	student("t_logcdf_dnu", "derivative of t_logcdf with respect to the degrees of freedom", Real, Real, special.TLogCDFDNu, tRatioDNu, NoDerivative, "special.TLogCDFDNu", `\partial_{\nu}\log T_{#2}\left(#1\right)`, 220),
	student("t_quantile", "quantile of Student's t with y degrees of freedom", Unit, Real, special.TQuantile, "t_quantile_du(x, y)", "t_quantile_dnu(x, y)", "special.TQuantile", `T_{#2}^{-1}\left(#1\right)`, 450),
	student("t_quantile_du", "derivative of t_quantile with respect to the probability", Unit, Positive, special.TQuantileDU, tQuantileDUDU, tQuantileDNuDU, "special.TQuantileDU", `\partial_{u}T_{#2}^{-1}\left(#1\right)`, 550),
	student("t_quantile_dnu", "derivative of t_quantile with respect to the degrees of freedom", Unit, Real, special.TQuantileDNu, tQuantileDNuDU, NoDerivative, "special.TQuantileDNu", `\partial_{\nu}T_{#2}^{-1}\left(#1\right)`, 650),
	ofShape("gamma_quantile", "quantile of the gamma distribution of shape y and rate 1", special.GammaQuantile, "gamma_quantile_du(x, y)", "gamma_quantile_da(x, y)", "special.GammaQuantile", `P_{#2}^{-1}\left(#1\right)`, 400),
	ofShape("gamma_quantile_du", "derivative of gamma_quantile with respect to the probability", special.GammaQuantileDU, gammaQuantileDUDU, gammaQuantileDADU, "special.GammaQuantileDU", `\partial_{u}P_{#2}^{-1}\left(#1\right)`, 450),
	ofShape("gamma_quantile_da", "derivative of gamma_quantile with respect to the shape", special.GammaQuantileDA, gammaQuantileDADU, NoDerivative, "special.GammaQuantileDA", `\partial_{\alpha}P_{#2}^{-1}\left(#1\right)`, 600),
	ofTail("gamma_cdf", "distribution function of the gamma distribution of shape y and rate 1", Unit, special.GammaCDF, "gamma_cdf(x, y)*gamma_ratio(x, y)", "gamma_cdf(x, y)*gamma_logcdf_da(x, y)", "special.GammaCDF", `P_{#2}\left(#1\right)`, 260),
	ofTail("gamma_logcdf", "logarithm of gamma_cdf, accurate in both tails", Negative, special.GammaLogCDF, "gamma_ratio(x, y)", "gamma_logcdf_da(x, y)", "special.GammaLogCDF", `\log P_{#2}\left(#1\right)`, 250),
	ofTail("gamma_logsf", "log(1 - gamma_cdf(x, y)), accurate in both tails", Negative, special.GammaLogSF, "-gamma_hazard(x, y)", "gamma_logsf_da(x, y)", "special.GammaLogSF", `\log Q_{#2}\left(#1\right)`, 250),
	ofTail("gamma_ratio", "density of the gamma distribution divided by gamma_cdf", Positive, special.GammaRatio, "gamma_ratio(x, y)*((y - 1)/x - 1 - gamma_ratio(x, y))", gammaRatioDA, "special.GammaRatio", `\frac{p_{#2}}{P_{#2}}\left(#1\right)`, 250),
	ofTail("gamma_hazard", "density of the gamma distribution divided by 1 - gamma_cdf", Positive, special.GammaHazard, "gamma_hazard(x, y)*((y - 1)/x - 1 + gamma_hazard(x, y))", gammaHazardDA, "special.GammaHazard", `\frac{p_{#2}}{Q_{#2}}\left(#1\right)`, 250),
	ofTail("gamma_logcdf_da", "derivative of gamma_logcdf with respect to the shape", Negative, special.GammaLogCDFDA, gammaRatioDA, NoDerivative, "special.GammaLogCDFDA", `\partial_{\alpha}\log P_{#2}\left(#1\right)`, 400),
	ofTail("gamma_logsf_da", "derivative of gamma_logsf with respect to the shape", Positive, special.GammaLogSFDA, "-"+gammaHazardDA, NoDerivative, "special.GammaLogSFDA", `\partial_{\alpha}\log Q_{#2}\left(#1\right)`, 400),
	ofShapes("beta_cdf", "distribution function of the beta distribution of shapes y and z, the regularised incomplete beta function", Unit, special.BetaCDF, []string{"beta_cdf(x, y, z)*beta_ratio(x, y, z)", "beta_cdf(x, y, z)*beta_logcdf_da(x, y, z)", "beta_cdf(x, y, z)*beta_logcdf_db(x, y, z)"}, "special.BetaCDF", `I_{#1}\left(#2, #3\right)`),
	ofShapes("beta_logcdf", "logarithm of beta_cdf, accurate in both tails", Negative, special.BetaLogCDF, []string{"beta_ratio(x, y, z)", "beta_logcdf_da(x, y, z)", "beta_logcdf_db(x, y, z)"}, "special.BetaLogCDF", `\log I_{#1}\left(#2, #3\right)`),
	ofShapes("beta_logsf", "log(1 - beta_cdf(x, y, z)), accurate in both tails", Negative, special.BetaLogSF, []string{"-beta_hazard(x, y, z)", "beta_logsf_da(x, y, z)", "beta_logsf_db(x, y, z)"}, "special.BetaLogSF", `\log \bar{I}_{#1}\left(#2, #3\right)`),
	ofShapes("beta_ratio", "density of the beta distribution divided by beta_cdf", Positive, special.BetaRatio, []string{"beta_ratio(x, y, z)*((y - 1)/x - (z - 1)/(1 - x) - beta_ratio(x, y, z))", betaRatioDA, betaRatioDB}, "special.BetaRatio", `\frac{I'_{#1}}{I_{#1}}\left(#2, #3\right)`),
	ofShapes("beta_hazard", "density of the beta distribution divided by 1 - beta_cdf", Positive, special.BetaHazard, []string{"beta_hazard(x, y, z)*((y - 1)/x - (z - 1)/(1 - x) + beta_hazard(x, y, z))", betaHazardDA, betaHazardDB}, "special.BetaHazard", `\frac{I'_{#1}}{\bar{I}_{#1}}\left(#2, #3\right)`),
	ofShapes("beta_logcdf_da", "derivative of beta_logcdf with respect to y", Negative, special.BetaLogCDFDA, []string{betaRatioDA, NoDerivative, NoDerivative}, "special.BetaLogCDFDA", `\partial_{\alpha}\log I_{#1}\left(#2, #3\right)`),
	ofShapes("beta_logcdf_db", "derivative of beta_logcdf with respect to z", Positive, special.BetaLogCDFDB, []string{betaRatioDB, NoDerivative, NoDerivative}, "special.BetaLogCDFDB", `\partial_{\beta}\log I_{#1}\left(#2, #3\right)`),
	ofShapes("beta_logsf_da", "derivative of beta_logsf with respect to y", Positive, special.BetaLogSFDA, []string{"-" + betaHazardDA, NoDerivative, NoDerivative}, "special.BetaLogSFDA", `\partial_{\alpha}\log \bar{I}_{#1}\left(#2, #3\right)`),
	ofShapes("beta_logsf_db", "derivative of beta_logsf with respect to z", Negative, special.BetaLogSFDB, []string{"-" + betaHazardDB, NoDerivative, NoDerivative}, "special.BetaLogSFDB", `\partial_{\beta}\log \bar{I}_{#1}\left(#2, #3\right)`),
	owensT,
	unary("sigmoid", "1/(1 + exp(-x))", Real, Unit, 1, special.Sigmoid, "sigmoid(x)*sigmoid(-x)", "special.Sigmoid", `\sigma\left(#1\right)`, 12),
	unary("log_sigmoid", "logarithm of sigmoid", Real, Negative, 1, special.LogSigmoid, "sigmoid(-x)", "special.LogSigmoid", `\log\sigma\left(#1\right)`, 30),
	unary("softplus", "log(1 + exp(x))", Real, Positive, 1, special.Softplus, "sigmoid(x)", "special.Softplus", `\operatorname{softplus}\left(#1\right)`, 27),
	unary("logit", "log(x/(1 - x))", Unit, Real, 1, special.Logit, "1/(x*(1 - x))", "special.Logit", `\operatorname{logit}\left(#1\right)`, 14),
	unary("sinh", "hyperbolic sine", Real, Real, 1, math.Sinh, "cosh(x)", "math.Sinh", `\sinh\left(#1\right)`, 25),
	unary("cosh", "hyperbolic cosine", Real, Range{1, inf, false, true}, 0, math.Cosh, "sinh(x)", "math.Cosh", `\cosh\left(#1\right)`, 25),
	unary("tanh", "hyperbolic tangent", Real, Range{-1, 1, true, true}, 1, math.Tanh, "1/cosh(x)^2", "math.Tanh", `\tanh\left(#1\right)`, 25),
	unary("sin", "sine, of radians", Real, Signed, 0, special.Sin, "cos(x)", "special.Sin", `\sin\left(#1\right)`, 25),
	unary("cos", "cosine, of radians", Real, Signed, 0, special.Cos, "-sin(x)", "special.Cos", `\cos\left(#1\right)`, 25),
	unary("tan", "tangent, of radians", Real, Real, 0, special.Tan, "1/cos(x)^2", "special.Tan", `\tan\left(#1\right)`, 28),
	unary("atan", "inverse of the tangent, in radians", Real, Range{-math.Pi / 2, math.Pi / 2, true, true}, 1, math.Atan, "1/(1 + x^2)", "math.Atan", `\arctan\left(#1\right)`, 20),
	unary("asinh", "inverse of the hyperbolic sine", Real, Real, 1, math.Asinh, "1/sqrt(1 + x^2)", "math.Asinh", `\operatorname{arsinh}\left(#1\right)`, 30),
	unary("atanh", "inverse of the hyperbolic tangent", Range{-1, 1, true, true}, Real, 1, math.Atanh, "1/((1 - x)*(1 + x))", "math.Atanh", `\operatorname{artanh}\left(#1\right)`, 30),
	unary("log1mexp", "log(1 - exp(x)), accurate in both tails", Negative, Negative, -1, special.Log1mExp, "-1/expm1(-x)", "special.Log1mExp", `\operatorname{log1mexp}\left(#1\right)`, 25),
	logAddExp,
	ofOrder("log_bessel_i", "logarithm of the modified Bessel function I of order y, iv(y, x) in SciPy", Nonnegative, Real, special.LogBesselI, "bessel_i_ratio(x, y) + y/x", "log_bessel_i_dnu(x, y)", "special.LogBesselI", `\log I_{#2}\left(#1\right)`, 250),
	ofOrder("log_bessel_i_dnu", "derivative of log_bessel_i with respect to the order", Nonnegative, Negative, special.LogBesselIDNu, besselIRatioDNu+" + 1/x", NoDerivative, "special.LogBesselIDNu", `\partial_{\nu}\log I_{#2}\left(#1\right)`, 300),
	ofOrder("bessel_i_ratio", "I of order y + 1 divided by I of order y, a mean resultant length", Nonnegative, Unit, special.BesselIRatio, "bessel_i_ratio_dx(x, y)", besselIRatioDNu, "special.BesselIRatio", `\frac{I_{#2 + 1}}{I_{#2}}\left(#1\right)`, 250),
	ofOrder("bessel_i_ratio_dx", "derivative of bessel_i_ratio", Nonnegative, Positive, special.BesselIRatioDX, besselIRatioDXDX, besselIRatioDXDNu, "special.BesselIRatioDX", `\left(\frac{I_{#2 + 1}}{I_{#2}}\right)'\left(#1\right)`, 400),
	ofOrder("log_bessel_k", "logarithm of the modified Bessel function K of order y, kv(y, x) in SciPy", Real, Real, special.LogBesselK, "y/x - bessel_k_ratio(x, y)", "log_bessel_k_dnu(x, y)", "special.LogBesselK", `\log K_{#2}\left(#1\right)`, 1000),
	ofOrder("log_bessel_k_dnu", "derivative of log_bessel_k with respect to the order", Real, Real, special.LogBesselKDNu, "1/x - "+besselKRatioDNu, NoDerivative, "special.LogBesselKDNu", `\partial_{\nu}\log K_{#2}\left(#1\right)`, 1000),
	ofOrder("bessel_k_ratio", "K of order y + 1 divided by K of order y", Real, Positive, special.BesselKRatio, "bessel_k_ratio(x, y)^2 - 1 - (2*y + 1)/x*bessel_k_ratio(x, y)", besselKRatioDNu, "special.BesselKRatio", `\frac{K_{#2 + 1}}{K_{#2}}\left(#1\right)`, 1000),
	indicator("less", "1 where x < y, otherwise 0", special.Less, "special.Less", `\left[#1 < #2\right]`),
	indicator("equal", "1 where x and y are equal, otherwise 0", special.Equal, "special.Equal", `\left[#1 = #2\right]`),
	whereOp,
	Difference,
	minmax("min", "the smaller of two numbers", math.Min, "less(x, y)", "1 - less(x, y)", "math.Min"),
	minmax("max", "the larger of two numbers", math.Max, "less(y, x)", "1 - less(y, x)", "math.Max"),
}

var inf = math.Inf(1)

// Operands are the names of operands in the texts of the table.
var Operands = []string{"x", "y", "z"}

// OperandNames are the names of the operands of a function.
func (o *Op) OperandNames() []string { return OperandNames(o.Arity) }

// OperandNames are the names of so many operands: those of the table, with numbers where a function of one's own has more.
func OperandNames(n int) []string {
	names := slices.Clone(Operands[:min(n, len(Operands))])
	for len(names) < n {
		names = append(names, "x"+strconv.Itoa(len(names)+1))
	}
	return names
}

// NoDerivative stands in the table for a derivative that is not available: asking for it is an error.
const NoDerivative = "-"

// Missing reports whether the derivative with respect to operand i is not available.
func (o *Op) Missing(i int) bool {
	return o.Elementwise() && o.Own == nil && o.Partials[i] == NoDerivative
}

// Derivatives of the distribution of Student's t with respect to its degrees of freedom, elementary or in terms of
// others: of the log-density, of the ratio of density and distribution function, and, of the quantile's, that with
// respect to the probability.
const (
	tLogPDFDNu    = "(digamma_diff(1/2, y/2) - 1/y - log1p(x^2/y) + (y + 1)*x^2/(y*(y + x^2)))/2"
	tRatioDNu     = "t_ratio(x, y)*(" + tLogPDFDNu + " - t_logcdf_dnu(x, y))"
	tQuantileDUDU = "t_quantile_du(x, y)^2*(y + 1)*t_quantile(x, y)/(y + t_quantile(x, y)^2)"
	// With q the quantile and f the density, d(1/f(q, nu))/dnu = -(d log f/dx dq/dnu + d log f/dnu)/f.
	tQuantileDNuDU = "-t_quantile_du(x, y)*(-(y + 1)*t_quantile(x, y)/(y + t_quantile(x, y)^2)*t_quantile_dnu(x, y) + " +
		"(digamma_diff(1/2, y/2) - 1/y - log1p(t_quantile(x, y)^2/y) + (y + 1)*t_quantile(x, y)^2/(y*(y + t_quantile(x, y)^2)))/2)"
)

// Derivatives of the density over a tail with respect to the shape.
const (
	gammaRatioDA  = "gamma_ratio(x, y)*(log(x) - digamma(y) - gamma_logcdf_da(x, y))"
	gammaHazardDA = "gamma_hazard(x, y)*(log(x) - digamma(y) - gamma_logsf_da(x, y))"
)

const (
	betaRatioDA  = "beta_ratio(x, y, z)*(log(x) + digamma_diff(z, y) - beta_logcdf_da(x, y, z))"
	betaRatioDB  = "beta_ratio(x, y, z)*(log1p(-x) + digamma_diff(y, z) - beta_logcdf_db(x, y, z))"
	betaHazardDA = "beta_hazard(x, y, z)*(log(x) + digamma_diff(z, y) - beta_logsf_da(x, y, z))"
	betaHazardDB = "beta_hazard(x, y, z)*(log1p(-x) + digamma_diff(y, z) - beta_logsf_db(x, y, z))"
)

// Derivatives of ratios of Bessel functions with respect to the order, and, from r' = 1 - r^2 - (2y + 1)/x r, those of r'.
const (
	besselIRatioDNu   = "bessel_i_ratio(x, y)*(log_bessel_i_dnu(x, y + 1) - log_bessel_i_dnu(x, y))"
	besselKRatioDNu   = "bessel_k_ratio(x, y)*(log_bessel_k_dnu(x, y + 1) - log_bessel_k_dnu(x, y))"
	besselIRatioDXDX  = "(2*y + 1)/x*(bessel_i_ratio(x, y)/x - bessel_i_ratio_dx(x, y)) - 2*bessel_i_ratio(x, y)*bessel_i_ratio_dx(x, y)"
	besselIRatioDXDNu = "-2*bessel_i_ratio(x, y)/x - (2*bessel_i_ratio(x, y) + (2*y + 1)/x)*" + besselIRatioDNu
)

// Derivatives of 1/f(q), for q the quantile of the gamma distribution and f the density, with respect to the probability and
// to the shape: -(d log f/dx)/f^2, and -(d log f/dx dq/da + d log f/da)/f. Where the quantile underflows, at small shapes,
// they are 0, not 0/0.
const (
	gammaQuantileNormal = "max(gamma_quantile(x, y), 2.3e-308)"
	gammaQuantileDUDU   = "gamma_quantile_du(x, y)^2*(1 - (y - 1)/" + gammaQuantileNormal + ")"
	gammaQuantileDADU   = "-gamma_quantile_du(x, y)*(((y - 1)/" + gammaQuantileNormal + " - 1)*gamma_quantile_da(x, y) + " +
		"log(" + gammaQuantileNormal + ") - digamma(y))"
)

// FunctionNamed returns the row of that name.
func FunctionNamed(name string) (*Op, bool) {
	op, ok := functionIndex[name]
	return op, ok
}

var functionIndex = func() map[string]*Op {
	m := map[string]*Op{}
	for _, op := range Functions {
		m[op.Name] = op
	}
	return m
}()

// unary is the row of a function of one operand.
func unary(name, doc string, domain, rng Range, monotone int, f func(float64) float64, partial, goName, latex string, cost float64) *Op {
	return &Op{Name: name, Arity: 1, Doc: doc, Domain: []Range{domain}, Range: rng, Monotone: monotone,
		Eval: func(x []float64) float64 { return f(x[0]) }, Unary: f, Partials: []string{partial},
		Go: goName, LaTeX: latex, Cost: cost}
}

// binary is the row of a difference of a function between y and x + y, for x >= 0 and y > 0.
func binary(name, doc string, f func(x, y float64) float64, rng Range, dx, dy, goName, latex string, cost float64) *Op {
	return &Op{Name: name, Arity: 2, Doc: doc, Domain: []Range{Nonnegative, Positive}, Range: rng,
		Eval: func(x []float64) float64 { return f(x[0], x[1]) }, Binary: f, Partials: []string{dx, dy},
		Go: goName, LaTeX: latex, Cost: cost}
}

// student is the row of a function of a number and of degrees of freedom.
func student(name, doc string, domain, rng Range, f func(x, nu float64) float64, dx, dnu, goName, latex string, cost float64) *Op {
	return &Op{Name: name, Arity: 2, Doc: doc, Domain: []Range{domain, Positive}, Range: rng,
		Eval: func(x []float64) float64 { return f(x[0], x[1]) }, Binary: f, Partials: []string{dx, dnu},
		Go: goName, LaTeX: latex, Cost: cost}
}

// ofShape is the row of a positive function of a probability and of a shape.
func ofShape(name, doc string, f func(u, shape float64) float64, dx, dshape, goName, latex string, cost float64) *Op {
	return &Op{Name: name, Arity: 2, Doc: doc, Domain: []Range{Unit, Positive}, Range: Positive,
		Eval: func(x []float64) float64 { return f(x[0], x[1]) }, Binary: f, Partials: []string{dx, dshape},
		Go: goName, LaTeX: latex, Cost: cost}
}

// ofTail is the row of a function of a positive number and of a shape.
func ofTail(name, doc string, rng Range, f func(x, shape float64) float64, dx, dshape, goName, latex string, cost float64) *Op {
	return ofOrder(name, doc, Positive, rng, f, dx, dshape, goName, latex, cost)
}

// ofShapes is the row of a function of a probability and of two shapes.
func ofShapes(name, doc string, rng Range, f func(x, a, b float64) float64, partials []string, goName, latex string) *Op {
	return &Op{Name: name, Arity: 3, Doc: doc, Domain: []Range{Unit, Positive, Positive}, Range: rng,
		Eval: func(x []float64) float64 { return f(x[0], x[1], x[2]) }, Partials: partials,
		Go: goName, LaTeX: latex, Cost: 5000}
}

// owensT is what distribution functions of skewed normal variables have besides ndtr.
var owensT = &Op{Name: "owens_t", Arity: 2, Doc: "Owen's function T, the probability that X > x and 0 < Y < y*X for standard normal X and Y",
	Domain: []Range{Real, Real}, Range: Range{-0.25, 0.25, false, false},
	Eval: func(x []float64) float64 { return special.OwenT(x[0], x[1]) }, Binary: special.OwenT,
	Partials: []string{"-exp(-x^2/2)*erf(x*y/sqrt(2))/(2*sqrt(2*pi))", "exp(-(x^2 + (x*y)^2)/2)/(2*pi*(1 + y^2))"},
	Go:       "special.OwenT", LaTeX: `T\left(#1, #2\right)`, Cost: 1000}

// ofOrder is the row of a function of a positive number and of an order.
func ofOrder(name, doc string, order, rng Range, f func(x, nu float64) float64, dx, dnu, goName, latex string, cost float64) *Op {
	return &Op{Name: name, Arity: 2, Doc: doc, Domain: []Range{Positive, order}, Range: rng,
		Eval: func(x []float64) float64 { return f(x[0], x[1]) }, Binary: f, Partials: []string{dx, dnu},
		Go: goName, LaTeX: latex, Cost: cost}
}

// polygamma is the general derivative of digamma, of a constant order x >= 1.
func polygamma() *Op {
	return &Op{Name: "polygamma", Arity: 2, Doc: "derivative of digamma of order x, a whole number of 1 or more, at y",
		Domain: []Range{{1, inf, false, true}, Positive}, Range: Real, ConstantOperand: 1,
		Eval: func(x []float64) float64 { return special.Polygamma(x[0], x[1]) }, Partials: []string{"", "polygamma(x + 1, y)"},
		Go: "special.Polygamma", LaTeX: `\psi^{(#1)}\left(#2\right)`, Cost: 100}
}

// indicator is the row of a relation: 1 or 0.
func indicator(name, doc string, f func(x, y float64) float64, goName, latex string) *Op {
	return &Op{Name: name, Arity: 2, Doc: doc, Domain: []Range{Real, Real}, Range: UnitClosed,
		Eval: func(x []float64) float64 { return f(x[0], x[1]) }, Binary: f, Partials: []string{"0", "0"},
		factRule: func(*Node) (Range, bool) { return UnitClosed, true },
		Go:       goName, LaTeX: latex, Cost: 1}
}

// Difference is a subtraction that algebra leaves alone. Multiplied out, or summed as sum(x) - n*y, it would lose the digits
// that are the same in both operands.
var Difference = &Op{Name: "difference", Arity: 2,
	Doc:    "x - y, kept in one piece where algebra would take it apart and lose the digits that both share",
	Domain: []Range{Real, Real}, Range: Real,
	Eval: func(x []float64) float64 { return special.Difference(x[0], x[1]) }, Binary: special.Difference, Partials: []string{"1", "-1"},
	Go: "special.Difference", LaTeX: `\left(#1 - #2\right)`, Cost: 1}

var logAddExp = &Op{Name: "logaddexp", Arity: 2, Doc: "log(exp(x) + exp(y))", Domain: []Range{Real, Real}, Range: Real,
	Eval: func(x []float64) float64 { return special.LogAddExp(x[0], x[1]) }, Binary: special.LogAddExp,
	Partials: []string{"sigmoid(x - y)", "sigmoid(y - x)"},
	Go:       "special.LogAddExp", LaTeX: `\log\left(e^{#1} + e^{#2}\right)`, Cost: 30}

func minmax(name, doc string, f func(x, y float64) float64, dx, dy, goName string) *Op {
	return &Op{Name: name, Arity: 2, Doc: doc, Domain: []Range{Real, Real}, Range: Real,
		Eval: func(x []float64) float64 { return f(x[0], x[1]) }, Binary: f, Partials: []string{dx, dy},
		Go: goName, LaTeX: `\` + name + `\left(#1, #2\right)`, Cost: 1}
}
