package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Latent variables of structured types, such as correlation matrices, have fewer numbers in the variable of the target than entries.
// Kernels see coordinates with the entries of such a variable, in memory of their own, into which the numbers are put before, and from
// which those of the gradient are taken afterwards.

// placesNames are the names of places in Go.
var placesNames = map[types.Places]string{types.All: "All", types.ButFirst: "ButFirst", types.ButLast: "ButLast", types.Below: "Below",
	types.OffDiagonal: "OffDiagonal"}

const (
	unfoldedField = "unfolded"
	slopesField   = "unfoldedGradient"
)

// reported writes the method that gives what reports show: the latent variables in the user's units, and further quantities.
func (f *file) reported() {
	if f.Functions["Reported"] == nil {
		return
	}
	f.add("Reported writes what a report shows of the latent variables at z, Info().Reported, to dst, one after the other.",
		method("Reported").Params(floats("dst", "z")).Block(append(f.unfolding(), f.kernel("Reported", nil)...)...))
}

// latentLen is how many numbers the latent variables are together, as Go.
func (f *file) latentLen() string {
	var whole program.Length
	var packed []string
	v := f.d.Problem.Variational
	for i, q := range v.Latent {
		t, places := q.Sym.Type, v.Places[i]
		switch {
		case places == types.All:
			whole = whole.Plus(1, t.Dims[:t.Rank]...)
		case t.Dims[0].Name == "":
			whole = whole.Plus(countOf(places, t, t.Dims[0].Size))
		default:
			packed = append(packed, countText(places, t, plan.DimName(t.Dims[0])))
		}
	}
	if len(packed) > 0 && whole.Number == 0 && len(whole.Terms) == 0 {
		return strings.Join(packed, "+")
	}
	return strings.Join(append([]string{lengthText(whole)}, packed...), "+")
}

// countOf is how many numbers have a place in a vector of length d, or a matrix of that side.
func countOf(places types.Places, t expr.Type, d int) int {
	n := d
	if t.Rank == 2 {
		n = d * d
	}
	return places.Count(n, d)
}

// countText is countOf as a formula in d: a polynomial of second degree, which three values determine.
func countText(places types.Places, t expr.Type, d string) string {
	one, two, three := countOf(places, t, 1), countOf(places, t, 2), countOf(places, t, 3)
	second := three - 2*two + one // twice the coefficient of d^2
	first := 2*(two-one) - 3*second
	constant := 2*one - second - first
	if second == 0 {
		return fmt.Sprintf("(%s%+d)", d, constant/2)
	}
	text := fmt.Sprintf("%s*(%s%+d)/2", d, d, first)
	if second != 1 || constant != 0 {
		text = fmt.Sprintf("(%d*%s*%s%+d*%s%+d)/2", second, d, d, first, d, constant)
	}
	return text
}

// unfolding puts the numbers of the latent variables into memory with their entries.
func (f *file) unfolding() []jen.Code {
	if !f.Packed() {
		return nil
	}
	return []jen.Code{line("z = p.unfold(z)")}
}

// foldMethods writes the methods that put numbers into entries, and take them back.
func (f *file) foldMethods() {
	if !f.Packed() {
		return
	}
	size := lengthText(f.LatentLayout().Size())
	f.noises[unfoldedField], f.noises[slopesField] = size, size
	f.ownMemory(unfoldedField, size)
	f.ownMemory(slopesField, size)
	body := func(memory, call string) []jen.Code {
		out := []jen.Code{line("from := 0")}
		at, l := f.LatentLayout(), len(f.LatentLayout().Places)
		for i, q := range f.d.Problem.Variational.Latent {
			side := "0"
			if t := q.Sym.Type; t.Rank == 2 {
				side = f.inFields(f.size(program.Shape{Dims: t.Dims[:1]}))
			}
			to := ""
			if i+1 < l {
				to = f.inFields(lengthText(at.Offset(i + 1)))
			}
			part := fmt.Sprintf("p.%s[%s:%s]", memory, f.inFields(lengthText(at.Offset(i))), to)
			args := []jen.Code{line("%s", part), line("z[from:]"), line("%s", side)}
			if call == "Fold" {
				args = []jen.Code{line("g[from:]"), line("%s", part), line("%s", side)}
			}
			moved := jen.Qual(typesModule, placesNames[f.d.Problem.Variational.Places[i]]).Dot(call).Call(args...)
			if i+1 < l {
				moved = line("from += ").Add(moved)
			}
			out = append(out, moved)
		}
		return out
	}
	f.add("unfold returns coordinates with the entries of the latent variables, of which z has those that are free.",
		method("unfold").Params(floats("z")).Index().Float64().Block(append(body(unfoldedField, "Unfold"), line("return p.%s", unfoldedField))...))
	f.add("fold writes those of the gradient to g.", method("fold").Params(floats("g")).Block(body(slopesField, "Fold")...))
}
