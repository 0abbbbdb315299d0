package spec

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// entry is one key of a mapping with its value.
type entry struct {
	key   string
	span  diag.Span // of the key
	value *yaml.Node
}

// object is a mapping: its entries in the order of the document.
type object struct {
	r       *reader
	what    string // "family gamma", for messages
	span    diag.Span
	entries []entry
}

// describe names the kind of a node in a message.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a text"
}

// span returns the span of a scalar, or of the first key, bracket or dash of a collection.
func (r *reader) span(n *yaml.Node) diag.Span {
	switch {
	case n.Kind == yaml.ScalarNode && n.Anchor == "" && n.Style&yaml.TaggedStyle == 0:
		return locate(r.src, n).whole()
	case n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0 && n.Content[0].Kind == yaml.ScalarNode:
		return r.span(n.Content[0])
	}
	at := r.src.Offset(n.Line, n.Column)
	return diag.Span{Source: r.src, Start: at, End: at + 1}
}

// object reads a mapping. It returns nil, and has said why, if the node is none.
func (r *reader) object(n *yaml.Node, what string) *object {
	if r.broken[n] {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.unexpected(n, what, "a mapping")
		return nil
	}
	o := &object{r: r, what: what, span: r.span(n)}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		o.add(n.Content[i], n.Content[i+1], seen)
	}
	return o
}

// unexpected reports a node of the wrong kind, or an item that was left out. The noun says what it should be.
func (r *reader) unexpected(n *yaml.Node, what, noun string) {
	if isNull(n) {
		r.diags.Errorf(r.span(n), msgNoValue, what)
		return
	}
	r.diags.Errorf(r.span(n), msgWrongKind, what, noun, describe(n))
}

// add adds an entry, or reports why its key cannot be one.
func (o *object) add(key, value *yaml.Node, seen map[string]bool) {
	switch {
	case o.r.broken[key]:
		return
	case key.Kind != yaml.ScalarNode:
		o.r.diags.Errorf(o.r.span(key), msgKeyNotText, describe(key))
		return
	case key.Tag == "!!merge":
		o.r.diags.Errorf(o.r.span(key), msgMerge).WithHint("write the entries out")
		return
	case seen[key.Value]:
		o.r.diags.Errorf(o.r.span(key), msgDuplicateKey, clip(key.Value), o.what)
		return
	}
	seen[key.Value] = true
	e := entry{key.Value, o.r.span(key), value}
	if isNull(value) {
		o.r.noValue(e)
		if strings.Contains(e.key, ":") {
			return // the key is not what it was meant to be
		}
		o.r.broken[value] = true
	}
	o.entries = append(o.entries, e)
}

// noValue reports a key without a value.
func (r *reader) noValue(e entry) {
	hint := ""
	if name, _, ok := strings.Cut(e.key, ":"); ok {
		hint = fmt.Sprintf("put a space after the colon: %q", name+": ...")
	}
	r.diags.Errorf(e.span, msgNoValue, fmt.Sprintf("%q", e.key)).WithHint("%s", hint)
}

// get returns the value of a key, or nil if there is none or it has been reported.
func (o *object) get(key string) *yaml.Node {
	for _, e := range o.entries {
		if e.key == key && !o.r.broken[e.value] {
			return e.value
		}
	}
	return nil
}

// keySpan returns the span of a key, or of the whole if there is no such key.
func (o *object) keySpan(key string) diag.Span {
	for _, e := range o.entries {
		if e.key == key {
			return e.span
		}
	}
	return o.span
}

// has reports whether there is a key, be its value good or not.
func (o *object) has(key string) bool {
	return slices.ContainsFunc(o.entries, func(e entry) bool { return e.key == key })
}

// only reports the keys that are not in the list, and the required ones that are missing. The required ones come first.
// What is said about missing ones is returned, nil for nothing, so that the caller may add a hint.
func (o *object) only(required, optional []string) *diag.Diagnostic {
	valid := slices.Concat(required, optional)
	meant := map[string]bool{} // keys that misspelled ones were meant to be are not missing
	for _, e := range o.entries {
		if !slices.Contains(valid, e.key) {
			meant[diag.Suggest(e.key, valid)] = true
			o.r.diags.Errorf(e.span, msgUnknownKey, clip(e.key), o.what).
				WithHint("%s", didYouMean(e.key, valid)+"keys are "+strings.Join(valid, ", "))
		}
	}
	missing := slices.DeleteFunc(slices.Clone(required), func(key string) bool { return o.has(key) || meant[key] })
	if len(missing) == 0 {
		return nil
	}
	return o.r.diags.Errorf(o.span, msgMissingKey, o.what, enumerate(missing, "and"))
}

// misspelt reports whether an unknown key was meant to be this one.
func (o *object) misspelt(key string, valid []string) bool {
	return slices.ContainsFunc(o.entries, func(e entry) bool { return !slices.Contains(valid, e.key) && diag.Suggest(e.key, valid) == key })
}

// enumerate joins words with commas, and the last one with the given word.
func enumerate(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// didYouMean returns the start of a hint, with a space at its end, or nothing if no candidate is near.
func didYouMean(name string, candidates []string) string {
	if s := diag.Suggest(name, candidates); s != "" {
		return fmt.Sprintf("did you mean %q? ", s)
	}
	return ""
}

// list returns the items of a list, or nil after a fault.
func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	switch {
	case n == nil || r.broken[n]:
		return nil
	case n.Kind != yaml.SequenceNode:
		r.unexpected(n, what, "a list")
		return nil
	case len(n.Content) == 0:
		r.diags.Errorf(r.span(n), msgEmpty, what)
	}
	return n.Content
}

// text returns a scalar, or false after a fault. The noun says what the scalar is.
func (r *reader) text(n *yaml.Node, what, noun string) (place, bool) {
	switch {
	case n == nil || r.broken[n]:
		return place{}, false
	case n.Kind != yaml.ScalarNode || isNull(n):
		r.unexpected(n, what, noun)
		return place{}, false
	}
	p := locate(r.src, n).trim()
	if p.text == "" {
		r.diags.Errorf(p.whole(), msgEmpty, what)
		return place{}, false
	}
	return p, true
}
