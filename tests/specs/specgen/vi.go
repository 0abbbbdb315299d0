package specgen

import (
	"fmt"
	"strings"
)

// approximations are families of the library that approximate posteriors, with their second parameter.
var approximations = []symbol{
	{name: "multivariate_normal", typ: square(spd, whole)}, {name: "diagonal_normal", typ: vector(positive, whole)},
}

// whole is the dimension of these families.
const whole = "d"

// variational draws a problem with a variational objective: an approximation of a normal kind, of latent variables that are
// one vector or several parts, under a model of data.
func (p *problem) variational() string {
	q := pick(p.r, approximations)
	second := map[string]string{"multivariate_normal": "Sigma", "diagonal_normal": "sigma2"}[q.name]
	p.surrogate.params = []symbol{{name: "mu", typ: vector(real, whole)}, {name: second, typ: q.typ}}
	p.dims = []string{whole}
	if p.r.below(3) == 2 {
		p.pinned[whole] = 1 + p.r.below(4)
	}
	return fmt.Sprintf("package: %s\ntarget: %s\nsurrogate: %s\n", Package, q.name, q.name) +
		p.common(p.surrogate.params, false) + p.objective()
}

// objective draws the model of the latent variables.
func (p *problem) objective() string {
	ns := newNames(p.r, whole, "n")
	f := &formulas{r: p.r}
	var latent string
	if p.r.below(2) == 0 {
		f.symbols = []symbol{{name: ns.take(), typ: vector(real, whole)}}
		latent = f.symbols[0].name
	} else {
		f.symbols = p.parts(ns)
		for _, s := range f.symbols {
			latent += fmt.Sprintf("\n      %s: %s", s.name, s.typ)
		}
	}
	z := f.symbols[0]
	f.dims = []string{z.typ.dims[0]}
	out := "objective:\n  vi:\n    latent: " + latent + "\n"
	prior := fmt.Sprintf("-dot(%s, %s)/2", z.name, z.name)
	for range p.r.below(3) {
		prior += " + " + f.of(number(real), 2)
	}
	if p.r.below(4) > 0 {
		out += p.rows(f, z, ns)
	}
	if p.r.rarely(4) {
		out += "    antithetic: true\n"
	}
	if p.r.rarely(4) {
		out += "    estimator: path\n"
	}
	return out + "    log_prior: " + prior + "\n"
}

// parts are latent variables that are parts of the whole, a vector first: as long as it where its length is pinned.
func (p *problem) parts(ns *names) []symbol {
	size, pinned := p.pinned[whole]
	length := fmt.Sprint(size)
	if !pinned {
		length = pick(p.r, []string{ns.take(), "2", "3"})
	}
	parts := []symbol{{name: ns.take(), typ: vector(real, length)}}
	if !pinned && p.r.below(2) == 1 {
		parts = append(parts, symbol{name: ns.take(), typ: number(real)})
	}
	return parts
}

// rows draws data with an entry for each row, and what the rows add to the log-density.
func (p *problem) rows(f *formulas, z symbol, ns *names) string {
	y, x := symbol{name: ns.take()}, ns.take()
	data := fmt.Sprintf("    data:\n      %s: vector(n)\n", y.name)
	location := "total(" + z.name + ")"
	if p.r.below(3) > 0 {
		data += fmt.Sprintf("      %s: matrix(n, %s)\n", x, z.typ.dims[0])
		location = x + " @ " + z.name
	}
	scalars, same := &formulas{r: p.r, symbols: []symbol{y}}, []symbol(nil)
	for _, s := range f.symbols {
		if s.typ.rank == 0 {
			same = append(same, s)
		}
	}
	scalars.symbols = append(scalars.symbols, same...)
	if p.r.rarely(4) {
		data += states(scalars, same, ns, "    ")
		location += " + " + scalars.symbols[len(scalars.symbols)-1].name
	}
	terms := []string{pick(p.r, []string{
		"log_sigmoid(" + y.name + "*(" + location + "))",
		"-(" + y.name + " - " + bracket(location) + ")^2/2",
		"-log1p((" + y.name + " - " + bracket(location) + ")^2)",
	})}
	for range p.r.below(3) {
		terms = append(terms, scalars.of(number(real), 2))
	}
	return data + "    log_likelihood: sum(" + strings.Join(terms, " + ") + ")\n"
}
