package spec

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// check reports the features of YAML that specs do not use, and the commas that break formulas in flow style, in a
// node and everything below it.
func (r *reader) check(n *yaml.Node) {
	if r.nodes++; r.nodes > maxNodes {
		return
	}
	switch {
	case n.Kind == yaml.AliasNode:
		r.breaks(n, msgAlias, "write the value out")
		return // what it points to was checked where it stands
	case n.Anchor != "":
		r.breaks(n, msgAnchor, "")
	case n.Style&yaml.TaggedStyle != 0:
		r.breaks(n, msgTag, "")
	}
	if n.Style&yaml.FlowStyle != 0 {
		r.checkFlow(n)
	}
	for _, c := range n.Content {
		r.check(c)
	}
}

// breaks reports a node and marks it as reported.
func (r *reader) breaks(n *yaml.Node, msg, hint string) {
	r.broken[n] = true
	at := r.src.Offset(n.Line, n.Column)
	end := at + len(wordAt(r.src.Text, at))
	r.diags.Errorf(diag.Span{Source: r.src, Start: at, End: end}, msg).WithHint("%s", hint)
}

// wordAt returns the text up to the next blank or bracket.
func wordAt(text []byte, at int) string {
	rest := string(text[min(at, len(text)):min(at+64, len(text))])
	if i := strings.IndexAny(rest, " \t\r\n,[]{}"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// checkFlow finds formulas that a flow collection has cut at their commas: an item that opens more parentheses than it
// closes, and a later one that closes them. In {r: min(a, b)} the later one is a key.
func (r *reader) checkFlow(n *yaml.Node) {
	var open *yaml.Node
	depth := 0
	for _, c := range n.Content {
		if c.Kind != yaml.ScalarNode || c.Style != 0 {
			continue
		}
		balance := strings.Count(c.Value, "(") - strings.Count(c.Value, ")")
		if open == nil && balance > 0 {
			open = c
		}
		if depth += balance; open == nil {
			depth = 0
			continue
		}
		if depth <= 0 {
			r.flowComma(n, open, c)
			open = nil
		}
	}
}

// flowComma reports a formula that is cut in two. The whole collection is passed over: its items are not what they seem.
func (r *reader) flowComma(n, first, last *yaml.Node) {
	r.broken[n] = true
	span := locate(r.src, first).whole()
	span.End = locate(r.src, last).whole().End
	r.diags.Errorf(span, msgFlowComma).
		WithHint("YAML's flow style ends a value at a comma; put formulas with commas on lines of their own")
}
