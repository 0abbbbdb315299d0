package emit

import (
	"fmt"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// length is a sum of products of dimensions, as the text of Go code.
type length struct {
	number int
	terms  []string // products of symbolic dimensions
}

// plus adds the number of entries of a type.
func (l length) plus(t expr.Type) length {
	factor := 1
	var names []string
	for _, d := range t.Dims[:t.Rank] {
		if d.Name == "" {
			factor *= d.Size
		} else {
			names = append(names, plan.DimName(d))
		}
	}
	out := length{number: l.number, terms: append([]string(nil), l.terms...)}
	switch {
	case len(names) == 0:
		out.number += factor
		return out
	case factor != 1:
		names = append([]string{fmt.Sprint(factor)}, names...)
	}
	out.terms = append(out.terms, strings.Join(names, "*"))
	return out
}

// String writes the sum, equal terms as one.
func (l length) String() string {
	count := map[string]int{}
	var order []string
	for _, t := range l.terms {
		if count[t] == 0 {
			order = append(order, t)
		}
		count[t]++
	}
	var parts []string
	for _, t := range order {
		if c := count[t]; c > 1 {
			t = fmt.Sprintf("%d*%s", c, t)
		}
		parts = append(parts, t)
	}
	if l.number > 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprint(l.number))
	}
	return strings.Join(parts, "+")
}

// layout is where values of given types lie one after the other in a slice.
type layout []expr.Type

// offset is where value i begins; that of the length of the list is the whole length.
func (l layout) offset(i int) length {
	var at length
	for _, t := range l[:i] {
		at = at.plus(t)
	}
	return at
}

// of is value i of a slice: a number, or a part of the slice.
func (l layout) of(slice string, i int) string {
	from := l.offset(i).String()
	if l[i].Rank == 0 {
		return slice + "[" + from + "]"
	}
	if from == "0" {
		from = ""
	}
	return slice + "[" + from + ":" + l.offset(i+1).String() + "]"
}

// outputs are values that are written to a slice one after the other, under the names of the symbols whose places they
// take: where those are symmetric, so are the values.
func (l layout) outputs(slice string, nodes, places []*expr.Node, names []string) []plan.Output {
	var out []plan.Output
	for i, n := range nodes {
		o := plan.Output{To: l.of(slice, i), Node: n, Type: l[i]}
		o.Symmetric = l[i].Rank == 2 && places[i].Facts.Structure&expr.Symmetric != 0
		if l[i].Rank > 0 {
			o.From, o.To = o.To, slice+exported(names[i])
		}
		out = append(out, o)
	}
	return out
}
