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

// plus adds a number of times a product of dimensions.
func (l length) plus(times int, dims ...expr.Dim) length {
	var names []string
	for _, d := range dims {
		if d.Name == "" {
			times *= d.Size
		} else {
			names = append(names, plan.DimName(d))
		}
	}
	out := length{number: l.number, terms: append([]string(nil), l.terms...)}
	switch {
	case len(names) == 0:
		out.number += times
		return out
	case times != 1:
		names = append([]string{fmt.Sprint(times)}, names...)
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
	text := strings.Join(parts, "+")
	switch {
	case text == "":
		return fmt.Sprint(l.number)
	case l.number != 0:
		return fmt.Sprintf("%s%+d", text, l.number)
	}
	return text
}

// place is what lies in a slice: a number, a vector or a matrix, or one of these for each component, free ones for all
// components but the last.
type place struct {
	expr.Type
	free bool
}

// each reports whether there is one for each component.
func (p place) each() bool { return p.Axes.Has(expr.Components) }

// layout is where values lie one after the other in a slice.
type layout struct {
	places     []place
	components expr.Dim
}

// offset is where value i begins; that of the number of values is the whole length.
func (l layout) offset(i int) length {
	var at length
	for _, p := range l.places[:i] {
		at = l.after(at, p)
	}
	return at
}

// after is where a place ends that begins at a length.
func (l layout) after(at length, p place) length {
	dims := p.Dims[:p.Rank]
	if !p.each() {
		return at.plus(1, dims...)
	}
	at = at.plus(1, append([]expr.Dim{l.components}, dims...)...)
	if p.free {
		at = at.plus(-1, dims...)
	}
	return at
}

// size is the whole length, len that of value i.
func (l layout) size() length       { return l.offset(len(l.places)) }
func (l layout) len(i int) length   { return l.after(length{}, l.places[i]) }
func (l layout) add(p place) layout { l.places = append(l.places, p); return l }

// of is value i of a slice: a number, or a part of the slice.
func (l layout) of(slice string, i int) string {
	from := l.offset(i).String()
	if l.places[i].Rank == 0 && !l.places[i].each() {
		return slice + "[" + from + "]"
	}
	return part(slice, from, l.offset(i+1).String())
}

// own is a component's own value i of a slice.
func (l layout) own(slice string, i int) string {
	p := l.places[i]
	switch {
	case p.free:
		return "dense.Padded(" + l.of(slice, i) + ", comp)"
	case p.Rank == 0:
		return slice + "[" + plus(l.offset(i).String(), "comp") + "]"
	}
	size := plan.Shape{Dims: p.Dims[:p.Rank]}.Size()
	from := l.offset(i).String()
	return part(slice, plus(from, "comp*"+size), plus(from, "(comp+1)*"+size))
}

func plus(from, more string) string {
	if from == "0" {
		return more
	}
	return from + "+" + more
}

func part(slice, from, to string) string {
	if from == "0" {
		from = ""
	}
	return slice + "[" + from + ":" + to + "]"
}

// input is value i of a slice under a name.
func (l layout) input(slice string, i int, sym *expr.Node, name string) plan.Input {
	in := plan.Input{Sym: sym, Name: name, From: l.of(slice, i)}
	if l.places[i].each() {
		in.Whole, in.Own = in.From, l.own(slice, i)
	}
	return in
}

// output writes value i of a slice, vectors and matrices under a name, as symmetric as asked.
func (l layout) output(slice string, i int, n *expr.Node, name string, symmetric bool) plan.Output {
	p := l.places[i]
	o := plan.Output{To: l.of(slice, i), Node: n, Type: p.Type, Symmetric: symmetric && p.Rank == 2, Free: p.free}
	switch {
	case p.each():
		o.Whole, o.Own = o.To, l.own(slice, i)
		if o.To = name; p.Rank == 0 {
			o.To = slice + "[" + plus(l.offset(i).String(), "comp") + "]"
		}
	case p.Rank > 0:
		o.From, o.To = o.To, name
	}
	return o
}

// outputs are values that are written to a slice one after the other, under the names of the symbols whose places they
// take: where those are symmetric, so are the values.
func (l layout) outputs(slice string, nodes, places []*expr.Node, names []string) []plan.Output {
	var out []plan.Output
	for i, n := range nodes {
		symmetric := places[i].Facts.Structure&expr.Symmetric != 0
		out = append(out, l.output(slice, i, n, slice+exported(names[i]), symmetric))
	}
	return out
}
