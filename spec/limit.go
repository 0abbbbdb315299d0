package spec

import (
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// Limit is a distribution that another one tends to when parameters leave their domain, to infinity or to its boundary: the
// likelihood may have its supremum there, where it has no maximum. The formulas see the parameters of the limit, its local
// definitions, and summaries of all rows of the data.
type Limit struct {
	Name        string
	NameSpan    diag.Span
	Doc         string
	When        []End   // the parameters of the distribution that leave their domain, and where to
	Parameters  []Param // of the limit
	Let         []Binding
	LogPDF      *Formula  // of one row
	Path        []Binding // of each parameter of the distribution, in terms of those of the limit and of LimitScale
	From        []Binding // of each parameter of the limit, in terms of those of the distribution; nil where it is not known
	Starts      []Start
	RandomStart *Start // nil where there is none
	Span        diag.Span
}

// End is where a parameter goes in a limit: to a number, or to infinity, of either sign. Of a vector the length goes to
// infinity, of a matrix the largest entry.
type End struct {
	Name     string
	NameSpan diag.Span
	Value    float64
	Span     diag.Span // of the value
}

// To is where the parameter goes, in words.
func (e End) To() string {
	switch {
	case math.IsInf(e.Value, 1):
		return "infinity"
	case math.IsInf(e.Value, -1):
		return "-infinity"
	}
	return strconv.FormatFloat(e.Value, 'g', -1, 64)
}

// Ends says where the parameters go, in words: "r goes to infinity and s goes to 1".
func (l *Limit) Ends() string {
	var list []string
	for _, e := range l.When {
		list = append(list, e.Name+" goes to "+e.To())
	}
	return enumerate(list, "and")
}

// LimitScale is the name of the number that goes to infinity in the formulas of Path.
const LimitScale = "t"

var (
	limitKeys    = []string{"name", "when", "parameters", "logpdf", "path", "start"}
	limitOptions = []string{"doc", "let", "from", "random_start"}
)

// limits reads the limits of a distribution with the given variables.
func (r *reader) limits(n *yaml.Node, variables []Param) []Limit {
	if n == nil {
		return nil
	}
	var out []Limit
	for _, item := range r.list(n, "limits") {
		o := r.object(item, "a limit")
		if o == nil {
			continue
		}
		l := r.limit(o, variables)
		if slices.ContainsFunc(out, func(other Limit) bool { return other.Name == l.Name && l.Name != "" }) {
			r.diags.Errorf(l.NameSpan, msgTwoLimits, l.Name)
			continue
		}
		out = append(out, l)
	}
	return out
}

func (r *reader) limit(o *object, variables []Param) Limit {
	o.only(limitKeys, limitOptions)
	name, p := r.name(o, "name")
	if name != "" {
		o.what = "limit " + name
	}
	l := Limit{Name: name, NameSpan: p.whole(), Doc: r.doc(o), Span: o.span}
	ns := r.names()
	for _, q := range variables {
		ns.used[q.Name] = "the variable"
	}
	ns.used[LimitScale] = "the number that goes to infinity"
	l.When = r.ends(o.get("when"))
	l.Parameters = r.params(o.get("parameters"), "parameters", "a parameter", ns)
	l.Let = r.let(o, ns)
	l.LogPDF = r.optional(o, "logpdf")
	l.Path = r.bindings(o.get("path"), "path")
	if n := o.get("from"); n != nil {
		l.From = r.bindings(n, "from")
	}
	if n := o.get("start"); n != nil {
		items := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode {
			items = r.list(n, "start")
		}
		for _, item := range items {
			if d, _ := r.draws(item, "start"); d != nil {
				r.noNoise(d)
				l.Starts = append(l.Starts, Start{Values: d.Values, Span: d.Span})
			}
		}
	}
	if n := o.get("random_start"); n != nil {
		if d, _ := r.draws(n, "random_start"); d != nil {
			l.RandomStart = &Start{Noise: d.Noise, Values: d.Values, Span: o.keySpan("random_start")}
		}
	}
	return l
}

// noNoise reports random numbers in a start that is none.
func (r *reader) noNoise(d *Draws) {
	if len(d.Noise) > 0 {
		r.diags.Errorf(d.Noise[0].NameSpan, msgNoNoise).WithHint("random starting points stand under random_start")
	}
}

// ends reads where parameters go.
func (r *reader) ends(n *yaml.Node) []End {
	if n == nil {
		return nil
	}
	o := r.object(n, "when")
	if o == nil {
		return nil
	}
	if len(n.Content) == 0 {
		r.diags.Errorf(o.span, msgEmpty, "when")
	}
	var out []End
	for _, e := range o.entries {
		p, ok := r.text(e.value, e.key+" in when", "a number or infinity")
		if !r.checkName(e.key, e.span) || !ok {
			continue
		}
		v, ok := endValue(p.text)
		if !ok {
			r.diags.Errorf(p.whole(), msgEnd, clip(p.text)).WithHint("write infinity, -infinity or a number")
			continue
		}
		out = append(out, End{e.key, e.span, v, p.whole()})
	}
	return out
}

// endValue is a number, or infinity of either sign.
func endValue(text string) (float64, bool) {
	switch text {
	case "infinity":
		return math.Inf(1), true
	case "-infinity":
		return math.Inf(-1), true
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// formulas returns all formulas of a limit.
func (l *Limit) formulas() []*Formula {
	out := append([]*Formula{l.LogPDF}, ofBindings(l.Let, l.Path, l.From)...)
	for _, s := range l.Starts {
		out = append(out, ofBindings(s.Values)...)
	}
	if s := l.RandomStart; s != nil {
		out = append(out, ofDraws(s.Noise, s.Values)...)
	}
	return out
}
