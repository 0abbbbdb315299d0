package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// definition is a distribution or a family.
type definition struct {
	distribution *Distribution
	family       *Family
}

// scope says what names mean in a file.
type scope struct {
	own     map[string]definition
	inline  []definition // defined in place in a problem: no name leads to them
	imports []*scope

	approximations map[string]*Approximation // defined in the file, by names of their own
	functions      map[string]*Function      // likewise

	reader *libraryReader // that reads this file of the library, nil when it has been read, and for other files
}

// find returns what a name means, or nothing. A problem made by hand has no scope, and sees the library.
func (s *scope) find(name string) (*Distribution, *Family) {
	var d definition
	if found := s.lookup(name); len(found) > 0 {
		d = found[0]
	}
	return d.distribution, d.family
}

// lookup returns the definitions of a name at the nearest level that has any: the file, its imports, the library.
// Several are returned when imports disagree.
func (s *scope) lookup(name string) []definition { return s.lookupFor(s, name) }

// lookupFor is lookup for who reads the file of another scope: it is that file's reader that has the library, and reads what there is to read.
func (s *scope) lookupFor(asking *scope, name string) []definition {
	if s != nil {
		if d, ok := s.own[name]; ok {
			return []definition{d}
		}
		if found := s.imported(name, map[*scope]bool{}); len(found) > 0 {
			return found
		}
	}
	if d := asking.asked(Library().definitions[name]).definition(name); d != (definition{}) {
		return []definition{d}
	}
	return nil
}

// imported returns the different definitions of a name in the imports.
func (s *scope) imported(name string, seen map[*scope]bool) (found []definition) {
	for _, i := range s.imports {
		if seen[i] {
			continue
		}
		seen[i] = true
		d, ok := i.own[name]
		if !ok {
			found = append(found, i.imported(name, seen)...)
		} else if !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	return found
}

// names returns the names that are visible, sorted, of families only if asked.
func (s *scope) names(families bool) []string {
	all := map[string]definition{}
	s.collect(all, map[*scope]bool{})
	out := Library().Families()
	if !families {
		out = append(out, Library().Distributions()...)
	}
	out = slices.DeleteFunc(out, func(name string) bool { return all[name] != definition{} }) // it means another here
	for name, d := range all {
		if d.family != nil || !families {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func (s *scope) collect(all map[string]definition, seen map[*scope]bool) {
	if seen[s] {
		return
	}
	seen[s] = true
	for name, d := range s.own {
		if _, ok := all[name]; !ok {
			all[name] = d
		}
	}
	for _, i := range s.imports {
		i.collect(all, seen)
	}
}

// resolve looks up what a name at a place refers to, and reports when it is nothing or several things.
func (r *reader) resolve(s *scope, name place, kind string, families bool) (definition, bool) {
	found := s.lookup(name.text)
	switch {
	case len(found) == 0 && r.diags.Full():
		r.diags.Errorf(name.whole(), msgUnknownRef, kind, name.text)
		return definition{}, false
	case len(found) == 0:
		visible := s.names(families)
		d := r.diags.Errorf(name.whole(), msgUnknownRef, kind, name.text)
		hint := didYouMean(name.text, visible)
		if !r.listed { // all names, once
			hint += "known are " + strings.Join(visible, ", ")
		}
		if r.listed = true; hint != "" {
			d.WithHint("%s", strings.TrimSpace(hint))
		}
		return definition{}, false
	case len(found) > 1:
		r.diags.Errorf(name.whole(), msgAmbiguous, name.text, found[0].span().Source.Name, found[1].span().Source.Name).
			WithHint("import one of them, or define it in this file")
		return definition{}, false
	}
	return found[0], true
}

// reference resolves the target or the surrogate of a problem.
func (ref reference) resolve(r *reader, s *scope) {
	if ref.role == "target" {
		if d, ok := r.resolve(s, ref.name, "family or distribution", false); ok {
			r.proper(d, ref.name)
			ref.problem.setTarget(d)
		}
		return
	}
	if ref.name.text == NoSurrogate && len(s.lookup(NoSurrogate)) == 0 {
		ref.problem.Surrogate = r.noSurrogate(ref.name, s)
		return
	}
	d, ok := r.resolve(s, ref.name, "family", true)
	if ok && d.family == nil {
		r.diags.Errorf(ref.name.whole(), msgWantFamily, ref.name.text).
			WithHint("families are " + strings.Join(s.names(true), ", "))
	}
	ref.problem.Surrogate = d.family
}

// densities calls f for every call of another density in the formulas, such as normal.logpdf(x; mu, Sigma), with the
// name in front of the dot and the one behind it.
func densities(formulas []*Formula, f func(fm *Formula, c *syntax.Call, name, method string)) {
	for _, fm := range formulas {
		if fm == nil {
			continue
		}
		syntax.Walk(fm.Expr, func(e syntax.Expr) bool {
			if c, ok := e.(*syntax.Call); ok {
				if name, method, dotted := strings.Cut(c.Fun, "."); dotted {
					f(fm, c, name, method)
				}
			}
			return true
		})
	}
}

// checkDensities reports calls of densities that do not exist, and of functions that are not one.
func (r *reader) checkDensities(s *scope, formulas []*Formula) {
	r.checkCalls(s, formulas)
	densities(formulas, func(fm *Formula, c *syntax.Call, name, method string) {
		at := c.FunStart
		p := place{name, fm.File, nil}
		if len(fm.at) > 0 {
			p = place{fm.Text, fm.File, fm.at}.part(at, at+len(name))
		}
		if method != "logpdf" {
			r.diags.Errorf(fm.Range(at, at+len(c.Fun)), msgMethod, c.Fun).WithHint("%s", "write "+name+".logpdf(x; ...)")
			return
		}
		if d, ok := r.resolve(s, p, "family or distribution", false); ok {
			r.proper(d, p)
		}
	})
}

// formulas returns all formulas of a definition.
func (d definition) formulas() []*Formula {
	if f := d.family; f != nil {
		return slices.Concat(f.Statistics, f.Natural, f.Where, f.Support, []*Formula{f.LogPartition, f.LogBaseMeasure},
			ofBindings(f.Let, f.FromNatural, f.FromMean, f.NewtonStart), f.Moments.formulas())
	}
	t := d.distribution
	out := slices.Concat([]*Formula{t.LogPDF, t.Penalty}, t.Support, ofBindings(t.Let), t.Moments.formulas())
	for _, s := range t.States {
		out = append(out, s.Start, s.Next)
	}
	for _, e := range t.Expectations {
		out = append(out, e.Of, e.Is)
	}
	return out
}

// ofLimits returns all formulas of the limits of a definition, which no other formula uses.
func (d definition) ofLimits() []*Formula {
	if d.distribution == nil {
		return nil
	}
	var out []*Formula
	for i := range d.distribution.Limits {
		out = append(out, d.distribution.Limits[i].formulas()...)
	}
	return out
}

// formulas returns all formulas of the moments.
func (m Moments) formulas() []*Formula {
	out := []*Formula{m.Mean, m.Variance, m.Entropy}
	if m.Sample != nil {
		out = append(out, ofDraws(m.Sample.Noise, m.Sample.Values)...)
	}
	return out
}

// own returns the formulas of a problem that stand in its document: those of an approximation that it names stand elsewhere.
func (p *Problem) own() []*Formula {
	if p.Approximation == nil {
		return p.formulas()
	}
	return p.VI.formulas()
}

// formulas returns all formulas of a problem.
func (p *Problem) formulas() []*Formula {
	out := slices.Concat(ofBindings(p.Map), p.Where, p.VI.formulas())
	for _, a := range p.Auxiliary {
		out = append(out, a.Metric)
	}
	for _, s := range p.Starts {
		out = append(out, ofDraws(s.Noise, s.Values)...)
	}
	if s := p.RandomStart; s != nil {
		out = append(out, ofDraws(s.Noise, s.Values)...)
	}
	return out
}

func ofBindings(lists ...[]Binding) (out []*Formula) {
	for _, b := range slices.Concat(lists...) {
		out = append(out, b.Formula)
	}
	return out
}

func ofDraws(noise []Draw, values []Binding) []*Formula {
	out := ofBindings(values)
	for _, d := range noise {
		out = append(out, d.Args...)
	}
	return out
}

// scope returns the scope in which the formulas of the definition are read.
func (d definition) scope() *scope {
	if d.family != nil {
		return d.family.scope
	}
	return d.distribution.scope
}

// name returns the name of the definition.
func (d definition) name() string {
	if d.family != nil {
		return d.family.Name
	}
	return d.distribution.Name
}

// cycles finds densities that are defined through themselves, which would make whoever expands them run for ever.
type cycles struct {
	scope *scope // of the file whose definitions are followed
	diags *diag.List
	state map[definition]int // 0 new, 1 on the path, 2 done
	path  []string
}

// visit follows the calls of densities in a definition.
func (c *cycles) visit(d definition) {
	switch c.state[d] {
	case 1:
		start := max(slices.Index(c.path, d.name()), 0)
		circle := strings.Join(append(slices.Clone(c.path[start:]), d.name()), " -> ")
		c.diags.Errorf(d.span(), msgOwnDensity, d.name(), circle)
		return
	case 2:
		return
	}
	c.state[d] = 1
	c.path = append(c.path, d.name())
	densities(d.formulas(), func(_ *Formula, _ *syntax.Call, name, _ string) {
		if found := d.scope().lookupFor(c.scope, name); len(found) == 1 {
			c.visit(found[0])
		}
	})
	c.path = c.path[:len(c.path)-1]
	c.state[d] = 2
}

// String names the definition, for debugging.
func (d definition) String() string { return fmt.Sprintf("%s (%v)", d.name(), d.span()) }
