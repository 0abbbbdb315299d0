package specgen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Package is the name of the package of every spec.
const Package = "drawn"

// String is the type as a spec declares it.
func (t typ) String() string {
	word := map[kind]string{positive: "positive", unit: "unit", real: "real", spd: "spd", corr: "corr", lower: "lower"}[t.kind]
	switch {
	case t.rank == 0:
		return word
	case t.rank == 1 && t.kind == real:
		return "vector(" + t.dims[0] + ")"
	case t.kind == simplex:
		return "simplex(" + t.dims[0] + ")"
	case t.rank == 1:
		return word + " vector(" + t.dims[0] + ")"
	case t.kind != matrix:
		return word + "(" + t.dims[0] + ")"
	}
	return "matrix(" + t.dims[0] + ", " + t.dims[1] + ")"
}

func replaceWord(text, word, by string) string {
	return regexp.MustCompile(`\b`+word+`\b`).ReplaceAllLiteralString(text, by)
}

// problem is a spec under construction.
type problem struct {
	r         *reader
	dims      []string       // names, or numbers
	pinned    map[string]int // dimensions with a length
	surrogate family
	auxiliary []symbol
	mixture   bool
}

// Spec draws a spec, with names that emitted code uses too.
func Spec(t Tape) string { return Named(t, func(i int) string { return pool[i%len(pool)] }) }

// Named draws a spec with names of a list without end, of which names that are taken are left out.
func Named(t Tape, name func(i int) string) string {
	p := &problem{r: &reader{rest: t, name: name}, pinned: map[string]int{}}
	if p.r.below(5) == 4 {
		return p.variational()
	}
	return p.likelihood()
}

// drawDims draws up to the given number of dimensions: names, names that are pinned, or numbers.
func (p *problem) drawDims(most int, ns *names) {
	for range p.r.below(most + 1) {
		switch p.r.below(4) {
		case 0, 1:
			p.dims = append(p.dims, ns.take())
		case 2:
			name := ns.take()
			p.dims = append(p.dims, name)
			p.pinned[name] = 1 + p.r.below(4)
		default:
			p.dims = append(p.dims, fmt.Sprint(1+p.r.below(4)))
		}
	}
}

// likelihood draws a problem of maximum likelihood.
func (p *problem) likelihood() string {
	dimNames := newNames(p.r)
	p.drawDims(2, dimNames)
	used := p.named()
	p.mixture = p.r.rarely(5)
	surrogateDim := ""
	if len(p.dims) > 0 && p.r.below(4) > 0 {
		surrogateDim = p.dims[0]
	}
	p.surrogate = drawFamily(p.r, surrogateDim, append(used, "weights")...)
	p.drawAuxiliary(used)
	target, params := p.target(used)
	components := ""
	if p.mixture {
		components = "components: " + fmt.Sprint(2+p.r.below(2))
		if p.r.below(2) == 0 {
			dimNames.use("weights")
			components = "components: " + dimNames.take()
		}
	}
	var b strings.Builder
	b.WriteString("package: " + Package + "\n")
	write := func(role, kind, text string) {
		switch {
		case !p.mixture:
			fmt.Fprintf(&b, "%s:\n  %s: drawn_%s\n%s", role, kind, role, text)
		default:
			fmt.Fprintf(&b, "%s:\n  mixture:\n    %s: drawn_%s\n%s  %s\n", role, kind, role, indented(text), components)
		}
	}
	write("target", "distribution", target)
	write("surrogate", "family", p.surrogate.text)
	b.WriteString(p.common(params, true))
	b.WriteString("objective: mle\n")
	return b.String()
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}

// named are the dimensions that have names.
func (p *problem) named() []string {
	return slices.DeleteFunc(slices.Clone(p.dims), func(d string) bool { return d[0] >= '0' && d[0] <= '9' })
}

func (p *problem) drawAuxiliary(used []string) {
	ns := newNames(p.r, append(slices.Clone(used), "weights")...)
	for _, s := range p.surrogate.params {
		ns.use(s.name)
	}
	for range max(0, p.r.below(4)-1) {
		t := number(real)
		if len(p.surrogate.params) > 0 && p.surrogate.params[0].typ.rank > 0 && p.r.below(2) == 0 {
			t = vector(real, p.surrogate.params[0].typ.dims[0])
		}
		p.auxiliary = append(p.auxiliary, symbol{name: ns.take(), typ: t})
	}
}

// types of the parameters of targets.
func (p *problem) paramType(dims []string) typ {
	if len(dims) == 0 || p.r.below(3) == 0 {
		return number(pick(p.r, []kind{real, positive, unit}))
	}
	d := pick(p.r, dims)
	switch p.r.below(9) {
	case 6:
		return square(corr, d)
	case 7:
		return square(lower, d)
	case 8:
		if d >= "2" && d <= "9" { // of one entry it is the number 1
			return vector(simplex, d)
		}
		return vector(positive, d)
	case 0, 1:
		return vector(real, d)
	case 2:
		return vector(positive, d)
	case 3:
		return square(spd, d)
	case 4:
		return rectangle(d, pick(p.r, dims))
	}
	return vector(unit, d)
}

// target draws a distribution. Its first term ties the variable to a parameter; the others are any.
func (p *problem) target(used []string) (text string, params []symbol) {
	ns := newFields(p.r, append(slices.Clone(used), "weights")...)
	x := symbol{name: ns.take()}
	declared := ""
	if len(p.dims) > 0 && p.r.below(4) > 0 {
		d := p.dims[0]
		declared = pick(p.r, []string{"vector(D)", "positive vector(D)", "unit vector(D)", "count vector(D)", "binary vector(D)"})
		x.typ = vector(kindOf(declared), d)
		declared = strings.ReplaceAll(declared, "D", d)
	} else {
		declared = pick(p.r, []string{"real", "positive", "unit", "count", "binary"}[:5-p.discrete()])
		x.typ = number(kindOf(declared))
	}
	for range 1 + p.r.below(4) {
		params = append(params, symbol{name: ns.take(), typ: p.paramType(p.dims)})
	}
	given, columns := p.given(ns)
	f := &formulas{r: p.r, rows: []string{x.name}, symbols: append(append(slices.Clone(params), x), given...)}
	for _, s := range given {
		f.rows = append(f.rows, s.name)
	}
	f.dims = dimsOf(f.symbols)
	for _, d := range f.dims {
		f.symbols = append(f.symbols, symbol{name: d, typ: number(positive)})
	}
	stateText := ""
	if !p.mixture && p.r.rarely(5) {
		stateText = states(f, params, ns, "  ")
	}
	let := ""
	for range max(0, p.r.below(4)-2) {
		t := p.paramType(f.dims)
		if t.rank == 2 {
			t = number(real)
		}
		s := symbol{name: ns.take(), typ: t}
		let += fmt.Sprintf("    %s: %s\n", s.name, f.of(t, 2))
		f.symbols = append(f.symbols, s)
	}
	if let != "" {
		let = "  let:\n" + let
	}
	terms := []string{p.residual(f, x)}
	for range p.r.below(4) {
		terms = append(terms, f.of(number(real), 3))
	}
	var lines []string
	for _, s := range params {
		lines = append(lines, fmt.Sprintf("    %s: %s\n", s.name, s.typ))
	}
	return fmt.Sprintf("  variable: {%s: %s}\n%s  parameters:\n%s%s%s  logpdf: %s\n", x.name, declared, columns, strings.Join(lines, ""), stateText, let,
		join(terms)), params
}

// given are other columns of the data: at most one of their lengths, and of that of the variable, is a name.
func (p *problem) given(ns *names) (symbols []symbol, text string) {
	if !p.r.rarely(4) {
		return nil, ""
	}
	for range 1 + p.r.below(2) {
		s := symbol{name: ns.take()}
		declared := pick(p.r, []string{"real", "positive", "unit", "count", "binary"})
		s.typ = number(kindOf(declared))
		if len(p.dims) > 0 && !p.mixture && p.r.below(2) == 0 {
			d := pick(p.r, p.dims)
			s.typ = typ{kind: index, dims: [2]string{d}}
			declared = "index(" + d + ")"
		} else if len(p.dims) > 0 && p.r.below(2) == 0 {
			s.typ = vector(kindOf(declared), p.dims[0])
			declared = strings.TrimPrefix(declared+" vector("+p.dims[0]+")", "real ")
		}
		symbols = append(symbols, s)
		text += fmt.Sprintf("    %s: %s\n", s.name, declared)
	}
	return symbols, "  given:\n" + text
}

// discrete is 1 for mixtures, whose starts need more different values than 0 and 1.
func (p *problem) discrete() int {
	if p.mixture {
		return 1
	}
	return 0
}

// dimsOf are the dimensions of symbols.
func dimsOf(symbols []symbol) []string {
	var out []string
	for _, s := range symbols {
		dims := s.typ.dims[:s.typ.rank]
		if s.typ.kind == index {
			dims = s.typ.dims[:1]
		}
		for _, d := range dims {
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// kindOf is what values of a declared type are: those of counts and of binary numbers may be 0.
func kindOf(declared string) kind {
	word, _, _ := strings.Cut(declared, " ")
	return map[string]kind{"positive": positive, "unit": unit}[word]
}

// residual is a term of a log-density that depends on the variable.
func (p *problem) residual(f *formulas, x symbol) string {
	g := f.omitting(x.name)
	if x.typ.rank == 0 {
		return "-(" + x.name + " - " + g.of(number(real), 1) + ")^2/" + bracket(g.of(number(positive), 1))
	}
	d := x.typ.dims[0]
	mean := x.name + " - " + bracket(g.of(vector(real, d), 1))
	switch p.r.below(3) {
	case 0:
		return "-total((" + mean + ")^2)"
	case 1:
		return "-total((" + mean + ")^2/" + bracket(g.of(vector(positive, d), 1)) + ")"
	}
	return "-quad(inv(" + f.without().of(square(spd, d), 2) + "), " + mean + ")/2"
}

// common are the parts of a problem that follow its target and surrogate.
func (p *problem) common(params []symbol, data bool) string {
	var b strings.Builder
	if p.r.below(2) == 1 {
		b.WriteString("step: natural\n")
	}
	p.unpin(slices.Concat(p.surrogate.params, params))
	if len(p.pinned) > 0 {
		b.WriteString("dimensions:\n")
		for _, d := range p.named() {
			if size, ok := p.pinned[d]; ok {
				b.WriteString(indent("%s: %d", d, size))
			}
		}
	}
	if len(p.auxiliary) > 0 {
		b.WriteString("auxiliary:\n")
		for _, a := range p.auxiliary {
			if p.r.below(2) == 0 {
				b.WriteString(indent("%s: %s", a.name, a.typ))
			} else {
				b.WriteString(indent("%s: {type: %s, metric: 0.5}", a.name, a.typ))
			}
		}
	}
	f := &formulas{r: p.r, symbols: slices.Concat(p.surrogate.params, p.auxiliary), dims: dimsOf(slices.Concat(p.surrogate.params, params))}
	b.WriteString("map:\n")
	for _, s := range params {
		depth := pick(p.r, []int{0, 2, 1, 3})
		g := f
		if p.r.rarely(6) { // known
			g, depth = &formulas{r: p.r}, 0
		}
		b.WriteString(indent("%s: %s", s.name, g.of(s.typ, depth)))
	}
	if numbers := f.has(number(positive)); len(numbers) > 0 && p.r.rarely(4) {
		b.WriteString("where: [" + pick(p.r, numbers) + " < 100]\n")
	}
	stepped := append(slices.Clone(p.surrogate.params), p.auxiliary...)
	b.WriteString("start:\n")
	for _, s := range stepped {
		b.WriteString(indent("%s: %s", s.name, p.startOf(s.typ)))
	}
	if p.r.rarely(4) {
		b.WriteString(p.randomStart(stepped))
	}
	return b.String()
}

// randomStart moves a start by random numbers, of which there may be arrays.
func (p *problem) randomStart(stepped []symbol) string {
	ns := newNames(p.r, "weights")
	for _, s := range stepped {
		ns.use(s.name)
		for _, d := range s.typ.dims[:s.typ.rank] {
			ns.use(d)
		}
	}
	noise, values := "", ""
	for _, s := range stepped {
		start := p.startOf(s.typ)
		if s.typ.rank == 2 || p.r.below(2) == 0 {
			values += indent("%s: %s", s.name, start)
			continue
		}
		name := ns.take()
		kind := pick(p.r, []string{"uniform(0.1, 0.4)", "gamma(2)", "exponential", "uniform"})
		if s.typ.kind == unit {
			kind = "uniform(0.1, 0.4)"
		}
		if s.typ.rank == 1 {
			kind += " vector(" + s.typ.dims[0] + ")"
		}
		noise += indent("  %s: %s", name, kind)
		values += indent("%s: %s + %s", s.name, start, name)
	}
	if noise == "" {
		return ""
	}
	return "random_start:\n  noise:\n" + noise + values
}

// unpin forgets the lengths of dimensions that nothing has.
func (p *problem) unpin(symbols []symbol) {
	for d := range p.pinned {
		if !slices.Contains(dimsOf(symbols), d) {
			delete(p.pinned, d)
		}
	}
}

func (p *problem) startOf(t typ) string {
	n := pick(p.r, []string{"1", "0.5", "1.3", "0.7"})
	switch {
	case t.kind == unit:
		n = "0.3"
	case t.kind == real:
		n = pick(p.r, []string{"0.2", "-0.4", "0.1"})
	}
	switch t.rank {
	case 0:
		return n
	case 1:
		return n + "*ones(" + t.dims[0] + ")"
	}
	return n + "*eye(" + t.dims[0] + ")"
}
