package expr_test

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// A reference is a point of the domain of a function with what mpmath says there: value and partial derivatives, nil where
// there is none.
type reference struct {
	args []float64
	want []*big.Float
}

// readReferences reads a table of runtime/special/testdata/accuracy.py, by the names of the functions.
func readReferences(t *testing.T, path string) map[string][]reference {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := map[string][]reference{}
	for s := bufio.NewScanner(file); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		fields := strings.Split(s.Text(), "\t")
		op, ok := expr.FunctionNamed(fields[0])
		if !ok {
			t.Fatalf("%s: no function %s", path, fields[0])
		}
		r, err := parseReference(op, fields[1:])
		if err != nil {
			t.Fatalf("%s: %s: %v", path, s.Text(), err)
		}
		out[op.Name] = append(out[op.Name], r)
	}
	return out
}

func parseReference(op *expr.Op, fields []string) (r reference, err error) {
	if len(fields) < op.Arity+1 {
		return r, fmt.Errorf("too few columns")
	}
	for i, f := range fields {
		if i < op.Arity {
			x, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return r, err
			}
			if !op.Domain[i].Contains(x) {
				return r, fmt.Errorf("operand %d is outside of %v", i+1, op.Domain[i])
			}
			r.args = append(r.args, x)
			continue
		}
		var want *big.Float
		if f != "-" {
			if want, _, err = big.ParseFloat(f, 10, 120, big.ToNearestEven); err != nil {
				return r, err
			}
		}
		r.want = append(r.want, want)
	}
	return r, nil
}

// ulps is the error of got in units in the last place of want. Where want is no float64, got must be infinite too, or 0 up
// to some of the least numbers.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	if got == w {
		return 0
	}
	if math.IsNaN(got) || math.IsInf(got, 0) || math.IsInf(w, 0) {
		return math.Inf(1)
	}
	d, _ := new(big.Float).Sub(new(big.Float).SetPrec(120).SetFloat64(got), want).Float64()
	size := math.Abs(w)
	return math.Abs(d) / (math.Nextafter(size, math.Inf(1)) - size)
}

// partialAt evaluates the formula of the table for the derivative in operand i.
func partialAt(t *testing.T, op *expr.Op, i int, args []float64) float64 {
	t.Helper()
	e, errs := syntax.Parse(op.Partials[i])
	if len(errs) > 0 {
		t.Fatalf("%s: %s: %v", op.Name, op.Partials[i], errs)
	}
	g := expr.NewGraph()
	names := map[string]*expr.Node{}
	env := eval.Scalars(nil)
	for j, name := range op.OperandNames() {
		if op.ConstantOperand == j+1 {
			names[name] = g.Const(args[j])
			continue
		}
		names[name] = g.Sym(name, expr.Scalar, expr.In(op.Domain[j]))
		env.Set(name, args[j])
	}
	b := expr.Builder{G: g, Scope: expr.Scope{Names: names, What: "a derivative"}}
	n := b.Build(e)
	if n == nil {
		t.Fatalf("%s: %s: %v", op.Name, op.Partials[i], b.Faults)
	}
	v, err := eval.Eval(n, env)
	if err != nil {
		t.Fatalf("%s: %s at %v: %v", op.Name, op.Partials[i], args, err)
	}
	return v
}

// worst keeps the largest error seen, and where.
type worst struct {
	error, got float64
	at         []float64
	want       *big.Float
}

func (w *worst) String() string {
	if w.at == nil {
		return "never"
	}
	return fmt.Sprintf("%.1f ulp at %v: %v, want %v", w.error, w.at, w.got, w.want.Text('g', 20))
}

// A bound is what the error is at most, in ulp of the value, or of floor where that is larger: formulas of derivatives are
// sums whose terms may cancel, and a function may be ill-conditioned next to a root. Points that skip reports are left out.
type bound struct {
	ulps  float64
	floor func(a []float64) float64
	skip  func(a []float64) bool
}

// within is the bound of a well-conditioned function on its whole domain.
func within(ulps float64) bound { return bound{ulps: ulps} }

// least is the floor of all partial derivatives: below, products have lost digits.
const least = 0x1p-1010

// over gives a bound a floor.
func (b bound) over(floor func(a []float64) float64) bound {
	b.floor = floor
	return b
}

// unless leaves out points.
func (b bound) unless(skip func(a []float64) bool) bound {
	b.skip = skip
	return b
}

// error measures the error in ulp of the largest of value, floor and, of a partial derivative, least.
func (b bound) error(args []float64, got float64, want *big.Float, partial bool) float64 {
	e := ulps(got, want)
	if e == 0 || math.IsInf(e, 0) {
		return e
	}
	w, _ := want.Float64()
	size := math.Abs(w)
	if partial {
		size = math.Max(size, least)
	}
	if b.floor != nil {
		size = math.Max(size, math.Abs(b.floor(args)))
	}
	return e * ulp(w) / ulp(size)
}

// ulp is the distance from |x| to the next larger float64.
func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}

// check asserts the bound at points, and reports the worst.
func (b bound) check(t *testing.T, what string, points []reference, column int, f func(args []float64) float64) {
	t.Helper()
	var w worst
	seen := 0
	for _, p := range points {
		if p.want[column] == nil || b.skip != nil && b.skip(p.args) {
			continue
		}
		got := f(p.args)
		seen++
		if e := b.error(p.args, got, p.want[column], column > 0); w.at == nil || !(e <= w.error) {
			w = worst{e, got, p.args, p.want[column]}
		}
	}
	if testing.Verbose() { // otherwise what fails is lost among what does not
		t.Logf("%-28s %4d points, bound %4.1f, worst %v", what, seen, b.ulps, &w)
	}
	if !(w.error <= b.ulps) {
		t.Errorf("%s: more than %v ulp: %v", what, b.ulps, &w)
	}
	if seen < 8 && !(b.skip == nil && seen == len(points)) {
		t.Errorf("%s: %d points", what, seen)
	}
}

const references = "../runtime/special/testdata/accuracy.tsv"

// Every function has a row in the table of accuracies, and keeps it at the ends of its domain, at 0, and between; and so do
// the formulas of its derivatives.
func TestAccuracy(t *testing.T) {
	refs := readReferences(t, references)
	for _, op := range expr.Functions {
		bounds, ok := accuracies[op.Name]
		if !ok || len(bounds) != 1+op.Arity {
			t.Errorf("%s has no row of %d bounds in accuracies: of the value and of each derivative", op.Name, 1+op.Arity)
			continue
		}
		points := refs[op.Name]
		if len(points) == 0 {
			t.Errorf("%s has no rows in %s: what python3 testdata/accuracy.py %s prints, in runtime/special", op.Name, references, op.Name)
			continue
		}
		bounds[0].check(t, op.Name, points, 0, op.Eval)
		for i := range op.Arity {
			if op.Missing(i) || op.ConstantOperand == i+1 {
				continue
			}
			at := func(args []float64) float64 { return partialAt(t, op, i, args) }
			bounds[1+i].check(t, fmt.Sprintf("%s, partial %d", op.Name, i+1), points, 1+i, at)
		}
	}
	if len(accuracies) != len(expr.Functions) {
		t.Errorf("%d rows in the table of accuracies for %d functions", len(accuracies), len(expr.Functions))
	}
}

// Functions that come together, and the methods of prepared types, keep the bounds of the functions, or wider ones of their
// own.
func TestAccuracyOfJoints(t *testing.T) {
	refs := readReferences(t, references)
	for _, j := range expr.Joints {
		f, ok := jointFunctions[j.Go]
		if !ok {
			t.Errorf("%s: not in the test's table", j.Go)
			continue
		}
		for k, name := range j.Ops {
			at := func(args []float64) float64 { return call(reflect.ValueOf(f), args, k) }
			accuracies[name][0].check(t, j.Go+", "+name, refs[name], 0, at)
		}
	}
}

func TestAccuracyOfPreparations(t *testing.T) {
	refs := readReferences(t, references)
	for _, p := range expr.Preparations {
		value := reflect.ValueOf(preparedValues[p.Type])
		prepare := value.MethodByName("Prepare").Interface().(func(float64, int))
		for name, method := range p.Methods {
			ops := []string{name}
			if k := slices.IndexFunc(expr.Joints, func(j expr.Joint) bool { return j.Go == name }); k >= 0 {
				ops = expr.Joints[k].Ops
			}
			m := value.MethodByName(method)
			for k, op := range ops {
				at := func(args []float64) float64 {
					prepare(args[p.Operand], 1000)
					return call(m, slices.Delete(slices.Clone(args), p.Operand, p.Operand+1), k)
				}
				b := accuracies[op][0]
				b.ulps += preparedMore[op]
				b.check(t, p.Type+"."+method+", "+op, refs[op], 0, at)
			}
		}
	}
}

// call returns a result of a function of numbers.
func call(f reflect.Value, args []float64, result int) float64 {
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = reflect.ValueOf(a)
	}
	return f.Call(in)[result].Float()
}

var jointFunctions = map[string]any{
	"special.SoftplusSigmoid":   special.SoftplusSigmoid,
	"special.LgammaDigammaDiff": special.LgammaDigammaDiff, "special.LogNdtrRatio": special.LogNdtrRatio,
	"special.TLogCDFRatio": special.TLogCDFRatio, "special.TRatioDNu": special.TRatioDNu, "special.TLogCDFRatioDNu": special.TLogCDFRatioDNu,
	"special.TQuantileWithDNu": special.TQuantileWithDNu, "special.GammaQuantileWithDA": special.GammaQuantileWithDA,
}

// preparedMore is what prepared types add to the bounds.
var preparedMore = map[string]float64{"t_logcdf": 1, "t_ratio": 1}

// accuracies has a bound for the value of each function, and for each partial derivative.
var accuracies = map[string][]bound{
	"exp":   {within(2), within(2)},
	"expm1": {within(1), within(2)},
	"log":   {within(1), within(1)},
	"log1p": {within(1), within(2)},
	"abs":   {within(0), within(0)},
	"sign":  {within(0), within(0)},

	"lgamma":          {within(4), within(4)},
	"digamma":         {within(4), within(4)},
	"trigamma":        {within(4), within(4)},
	"tetragamma":      {within(4), within(4)},
	"digamma_log":     {within(3), within(4)},
	"trigamma_inv":    {within(4), within(4)},
	"tetragamma_inv2": {within(4), within(4).over(inverseCube)},
	"lgamma_diff":     {within(4).over(condition), within(4).over(one), within(4)},
	"digamma_diff":    {within(4), within(4), within(4)},
	"trigamma_diff":   {within(4), within(4).over(conditionOfSum), within(4)},
	"tetragamma_diff": {within(4), within(4), within(4).over(pentagamma).unless(overflow)},
	"polygamma":       {within(2), {}, within(2)},

	"erf":                {within(1), within(2)},
	"ndtr":               {within(4), within(4)},
	"log_ndtr":           {within(4), within(4)},
	"ndtr_ratio":         {within(4), within(6)},
	"ndtr_residual":      {within(4), within(4).over(one)},
	"normal_quantile":    {within(4), within(4)},
	"normal_quantile_du": {within(4), within(8)},

	"t_logpdf":       {ofNu(4), ofNu(4).unless(hugeSquare), ofNu(4).over(slopeTerms).unless(hugeSquare)},
	"t_cdf":          {ofNu(3), ofNu(4), ofNu(10)},
	"t_logcdf":       {ofNu(3), ofNu(3), ofNu(10)},
	"t_ratio":        {ofNu(3), ofNu(4).over(ratioSquare).unless(hugeSquare), ofNu(10).over(ratioSlopeTerms).unless(hugeSquare)},
	"t_logcdf_dnu":   {ofNu(10), ofNu(10).over(ratioSlopeTerms).unless(hugeSquare), {}},
	"t_quantile":     {ofNu(3), ofNu(4), ofNu(10)},
	"t_quantile_du":  {ofNu(4), ofNu(8).unless(hugeQuantile), ofNu(10).over(quantileSlopeTerms).unless(hugeQuantile)},
	"t_quantile_dnu": {ofNu(10), ofNu(10).over(quantileSlopeTerms).unless(hugeQuantile), {}},

	"gamma_quantile":    {within(3), within(4).unless(underflow), within(10)},
	"gamma_quantile_du": {within(4).unless(underflow), within(8).over(squareDU).unless(underflowSquare), within(10).over(shapeTerms).unless(underflow)},
	"gamma_quantile_da": {within(10), within(10).over(shapeTerms).unless(underflow), {}},

	"gamma_cdf":       {within(4), within(6), within(10)},
	"gamma_logcdf":    {within(4), within(6), within(10)},
	"gamma_logsf":     {within(4), within(6), within(10)},
	"gamma_ratio":     {within(6), within(6).over(gammaRatioTerms), within(10).over(gammaRatioSlope)},
	"gamma_hazard":    {within(6), within(6).over(gammaHazardTerms).unless(flatHazard), within(10).over(gammaHazardSlope)},
	"gamma_logcdf_da": {within(10), within(10).over(gammaRatioSlope), {}},
	"gamma_logsf_da":  {within(10), within(10).over(gammaHazardSlope), {}},

	"beta_cdf":       {within(8), within(10), within(12), within(12)},
	"beta_logcdf":    {within(8), within(10), within(12), within(12)},
	"beta_logsf":     {within(8), within(10), within(12), within(12)},
	"beta_ratio":     {within(10), within(12).over(betaRatioTerms), within(12).over(betaRatioSlopeA), within(12).over(betaRatioSlopeB)},
	"beta_hazard":    {within(10), within(12).over(betaHazardTerms), within(12).over(betaHazardSlopeA), within(12).over(betaHazardSlopeB)},
	"beta_logcdf_da": {within(12), within(12).over(betaRatioSlopeA), {}, {}},
	"beta_logcdf_db": {within(12), within(12).over(betaRatioSlopeB), {}, {}},
	"beta_logsf_da":  {within(12), within(12).over(betaHazardSlopeA), {}, {}},
	"beta_logsf_db":  {within(12), within(12).over(betaHazardSlopeB), {}, {}},
	"owens_t":        {within(6), within(6), within(6).over(owenExponent)},

	"sigmoid":     {within(2), within(4)},
	"log_sigmoid": {within(2), within(2)},
	"softplus":    {within(2), within(2)},
	"logit":       {within(3), within(3)},
	"sinh":        {within(2), within(2)},
	"cosh":        {within(2), within(2)},

	"tanh":      {within(2), within(4)},
	"sin":       {within(2).over(farAngle), within(2).over(farAngle)},
	"cos":       {within(2).over(farAngle), within(2).over(farAngle)},
	"tan":       {within(3).unless(far), within(5).unless(far)},
	"atan":      {within(2), within(2)},
	"asinh":     {within(2), within(3).unless(squareOverflows)},
	"log1mexp":  {within(3), within(3)},
	"atanh":     {within(2), within(3)},
	"logaddexp": {within(3).over(conditionOfLogAddExp), within(4).over(conditionOfShare), within(4).over(conditionOfShare)},

	"log_bessel_i":      {within(4).over(besselISize), within(4), within(30).over(besselSmall)},
	"log_bessel_i_dnu":  {within(30).over(besselSmall), within(20).over(besselIShift), {}},
	"bessel_i_ratio":    {within(4), within(20), within(20).over(besselIShift)},
	"bessel_i_ratio_dx": {within(20), within(20).over(besselICurve).unless(tinyX), within(20).over(besselICross)},
	"log_bessel_k":      {within(4).over(besselKSize), within(6).over(besselKTerms).unless(belowPrecision), within(10)},
	"log_bessel_k_dnu":  {within(10), within(20).over(besselKShift).unless(atOrder0), {}},
	"bessel_k_ratio":    {within(4).unless(belowPrecision), within(10).over(besselKSquare).unless(belowPrecision), within(20).over(besselKShift).unless(belowPrecision)},

	"difference": {within(1), within(0), within(0)},

	"where": {within(0), within(0), within(0)},
	"less":  {within(0), within(0), within(0)},
	"equal": {within(0), within(0), within(0)},
	"min":   {within(0), within(0), within(0)},
	"max":   {within(0), within(0), within(0)},
}

func one([]float64) float64 { return 1 }

// far reports an angle whose multiple of pi/2 is not found exactly.
func far(a []float64) bool { return math.Abs(a[0]) > 1<<20 }

// squareOverflows reports numbers whose squares are infinite: the derivative of asinh, below 1e-154 there, is 0.
func squareOverflows(a []float64) bool { return math.IsInf(a[0]*a[0], 1) }

// farAngle is the size of the error of sine and cosine of such an angle.
func farAngle(a []float64) float64 {
	if far(a) {
		return 1
	}
	return 0
}

// conditionOfLogAddExp is how much logaddexp changes when its operands change by their size.
func conditionOfLogAddExp(a []float64) float64 {
	return math.Abs(a[0])*special.Sigmoid(a[0]-a[1]) + math.Abs(a[1])*special.Sigmoid(a[1]-a[0])
}

// conditionOfShare is that of its derivatives: the difference of the operands is rounded.
func conditionOfShare(a []float64) float64 {
	return special.Sigmoid(a[0]-a[1]) * special.Sigmoid(a[1]-a[0]) * (math.Abs(a[0]) + math.Abs(a[1]))
}

// flatHazard reports the exponential distribution, whose hazard is the same everywhere, and hazards that underflow.
func flatHazard(a []float64) bool { return a[1] == 1 || special.GammaHazard(a[0], a[1]) < least }

// Sizes of the terms of derivatives of the density over a tail.
func gammaRatioTerms(a []float64) float64 {
	r := special.GammaRatio(a[0], a[1])
	return r * (math.Abs(a[1]-1)/a[0] + 1 + r)
}

func gammaHazardTerms(a []float64) float64 {
	h := special.GammaHazard(a[0], a[1])
	return h * (math.Abs(a[1]-1)/a[0] + 1 + h)
}

func gammaRatioSlope(a []float64) float64 {
	return special.GammaRatio(a[0], a[1]) * (math.Abs(math.Log(a[0])) + math.Abs(special.Digamma(a[1])) - special.GammaLogCDFDA(a[0], a[1]))
}

func gammaHazardSlope(a []float64) float64 {
	return special.GammaHazard(a[0], a[1]) * (math.Abs(math.Log(a[0])) + math.Abs(special.Digamma(a[1])) + special.GammaLogSFDA(a[0], a[1]))
}

// owenExponent is how much the derivative of owens_t in its second operand changes when the exponent changes by its size.
func owenExponent(a []float64) float64 {
	h, s := a[0], a[0]*a[1]
	e := (h*h + s*s) / 2
	return e * math.Exp(-e) / (2 * math.Pi * (1 + a[1]*a[1]))
}

// Sizes of the terms of derivatives of the density of a beta distribution over a tail.
func betaTerms(a []float64, rate float64) float64 {
	return rate * (math.Abs(a[1]-1)/a[0] + math.Abs(a[2]-1)/(1-a[0]) + rate)
}

func betaRatioTerms(a []float64) float64 { return betaTerms(a, special.BetaRatio(a[0], a[1], a[2])) }

func betaHazardTerms(a []float64) float64 { return betaTerms(a, special.BetaHazard(a[0], a[1], a[2])) }

func betaRatioSlopeA(a []float64) float64 {
	x, y, z := a[0], a[1], a[2]
	return special.BetaRatio(x, y, z) * (math.Abs(math.Log(x)) + special.DigammaDiff(z, y) + math.Abs(special.BetaLogCDFDA(x, y, z)))
}

func betaRatioSlopeB(a []float64) float64 {
	x, y, z := a[0], a[1], a[2]
	return special.BetaRatio(x, y, z) * (math.Abs(math.Log1p(-x)) + special.DigammaDiff(y, z) + special.BetaLogCDFDB(x, y, z))
}

func betaHazardSlopeA(a []float64) float64 {
	x, y, z := a[0], a[1], a[2]
	return special.BetaHazard(x, y, z) * (math.Abs(math.Log(x)) + special.DigammaDiff(z, y) + special.BetaLogSFDA(x, y, z))
}

func betaHazardSlopeB(a []float64) float64 {
	x, y, z := a[0], a[1], a[2]
	return special.BetaHazard(x, y, z) * (math.Abs(math.Log1p(-x)) + special.DigammaDiff(y, z) + math.Abs(special.BetaLogSFDB(x, y, z)))
}

// besselISize is how much log_bessel_i changes when its operands change by half of their size; besselKSize of log_bessel_k.
func besselISize(a []float64) float64 {
	x, nu := a[0], a[1]
	return (x*special.BesselIRatio(x, nu) + nu - nu*special.LogBesselIDNu(x, nu)) / 2
}

func besselKSize(a []float64) float64 {
	x, nu := a[0], a[1]
	return (math.Abs(x*special.BesselKRatio(x, nu)-nu) + nu*special.LogBesselKDNu(x, nu)) / 2
}

// besselSmall is the size of the terms of log_bessel_i_dnu, which nearly cancel for orders below x.
func besselSmall([]float64) float64 { return 0.5 }

// tinyX reports that the square of x underflows, belowPrecision that x is so small that powers of it multiply rounding errors.
func tinyX(a []float64) bool { return a[0] < 1e-150 }

func belowPrecision(a []float64) bool { return a[0] < 1e-16 }

// atOrder0 reports the order at which the derivative of an even function is 0.
func atOrder0(a []float64) bool { return a[1] == 0 }

// Sizes of the terms of derivatives of ratios of Bessel functions.
func besselIShift(a []float64) float64 {
	return special.BesselIRatio(a[0], a[1])*math.Max(1, -special.LogBesselIDNu(a[0], a[1])) + 1/a[0]
}

func besselICurve(a []float64) float64 {
	x, nu := a[0], a[1]
	return (2*nu + 1) / x / x * special.BesselIRatio(x, nu)
}

func besselICross(a []float64) float64 {
	x, nu := a[0], a[1]
	return (2 + (2*nu+1)/x) * besselIShift(a)
}

func besselKTerms(a []float64) float64 { return math.Abs(a[1]) / a[0] }

func besselKShift(a []float64) float64 {
	x, nu := a[0], a[1]
	return special.BesselKRatio(x, nu)*math.Abs(special.LogBesselKDNu(x, nu+1)) + 1/x
}

func besselKSquare(a []float64) float64 { return math.Pow(special.BesselKRatio(a[0], a[1]), 2) + 1 }

func inverseCube(a []float64) float64 { return 2 / a[0] / a[0] / a[0] }

func pentagamma(a []float64) float64 { return special.Polygamma(3, a[1]) }

// condition is one and a half times the size of lgamma_diff times its condition number: how much it changes when its operands change by their size.
// Around its root between fractional operands that is larger than the value.
func condition(a []float64) float64 {
	x, y := a[0], a[1]
	if x == math.Trunc(x) {
		return 0
	}
	return 1.5 * (math.Abs(x*special.Digamma(x+y)) + y*special.DigammaDiff(x, y))
}

// conditionOfSum is the size of tetragamma(x + y) times its condition number: the sum is rounded.
func conditionOfSum(a []float64) float64 {
	z := a[0] + a[1]
	return z * special.Polygamma(3, z)
}

// ofNu is the bound of a function of the Student-t distribution, for which smaller nu than leastNu are leastNu.
func ofNu(ulps float64) bound { return within(ulps).unless(tinyNu) }

func tinyNu(a []float64) bool { return a[1] < 1e-290 }

// hugeSquare reports that the square of the argument overflows, in formulas of derivatives.
func hugeSquare(a []float64) bool {
	return tinyNu(a) || math.Abs(a[0]) > 1e150 || a[0] != 0 && math.Abs(a[0]) < 1e-150
}

// slopeTerms is the size of the terms of the derivative of t_logpdf in nu, which for large nu nearly cancel.
func slopeTerms(a []float64) float64 {
	s := a[0] * a[0] / a[1]
	return (1/a[1] + math.Log1p(s)) / 2
}

func ratioSquare(a []float64) float64 { return math.Pow(special.TRatio(a[0], a[1]), 2) }

func ratioSlopeTerms(a []float64) float64 {
	return special.TRatio(a[0], a[1]) * (slopeTerms(a) + math.Abs(special.TLogCDFDNu(a[0], a[1])))
}

// hugeQuantile reports that the square of the quantile or of its derivative overflows.
func hugeQuantile(a []float64) bool {
	return a[1] > 1e150 || special.TQuantileDU(a[0], a[1]) > 1e150 || hugeSquare([]float64{special.TQuantile(a[0], a[1]), a[1]})
}

// quantileSlopeTerms is the size of the terms of the derivative of t_quantile_du in nu.
func quantileSlopeTerms(a []float64) float64 {
	q := special.TQuantile(a[0], a[1])
	slope := (a[1] + 1) * q / (a[1] + q*q) * special.TQuantileDNu(a[0], a[1])
	return special.TQuantileDU(a[0], a[1]) * (math.Abs(slope) + slopeTerms([]float64{q, a[1]}))
}

// underflow reports that the gamma quantile is no normal number, or that its square overflows.
func underflow(a []float64) bool {
	return special.GammaQuantile(a[0], a[1]) < 0x1p-1022 || a[1] > 1e150
}

// underflowSquare reports that the square of the derivative of the gamma quantile underflows.
func underflowSquare(a []float64) bool {
	return underflow(a) || special.GammaQuantileDU(a[0], a[1]) < 1e-150
}

func squareDU(a []float64) float64 { return math.Pow(special.GammaQuantileDU(a[0], a[1]), 2) }

// shapeTerms is the size of the terms of the derivative of gamma_quantile_du in the shape.
func shapeTerms(a []float64) float64 {
	q := special.GammaQuantile(a[0], a[1])
	slope := ((a[1]-1)/q - 1) * special.GammaQuantileDA(a[0], a[1])
	return special.GammaQuantileDU(a[0], a[1]) * (math.Abs(slope) + math.Abs(math.Log(q)))
}

// overflow reports that the terms of a difference do.
func overflow(a []float64) bool { return math.IsInf(special.Polygamma(3, a[1]), 1) }
