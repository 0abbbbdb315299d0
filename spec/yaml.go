package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// Limits of a file.
const (
	MaxFile  = 1 << 18 // bytes
	maxDepth = 32      // collections inside each other; a spec needs 5
	maxLine  = 1 << 14 // bytes of a line
	maxNodes = 20000   // keys and values
)

// reader turns one file into YAML nodes, and these into the model.
type reader struct {
	src    *diag.Source
	diags  *diag.List
	broken map[*yaml.Node]bool // reported already: to be passed over in silence
	nodes  int
	listed bool // a hint has listed all names of definitions: others need not
}

// newSource returns the text as a source. A byte order mark is dropped, since YAML counts no column for it.
func newSource(name string, text []byte) *diag.Source {
	return diag.NewSource(name, bytes.TrimPrefix(text, []byte("\ufeff")))
}

// documents returns the root nodes of the documents, without empty documents. It returns those before a syntax error
// too; ok is false then.
func (r *reader) documents() (roots []*yaml.Node, ok bool) {
	if !r.checkText() {
		return nil, false
	}
	loader, err := yaml.NewLoader(bytes.NewReader(r.src.Text), yaml.WithUniqueKeys(false),
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	for err == nil {
		var doc yaml.Node
		if err = loader.Load(&doc); err != nil {
			break
		}
		for _, root := range doc.Content {
			if isNull(root) {
				continue
			}
			if r.check(root); r.nodes > maxNodes {
				r.diags.Errorf(r.span(root), msgTooMuch, maxNodes)
				return nil, false
			}
			roots = append(roots, root)
		}
	}
	if errors.Is(err, io.EOF) {
		return roots, true
	}
	r.syntaxError(err)
	return roots, false
}

// isNull reports whether a node is a value that was left out.
func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Tag == "!!null"
}

// checkText refuses texts in which YAML would count bytes or lines in another way than this package.
func (r *reader) checkText() bool {
	text := r.src.Text
	switch {
	case len(text) > MaxFile:
		r.diags.Errorf(diag.Span{Source: r.src}, msgFileTooLarge, len(text)).WithHint("at most %d are read", MaxFile)
		return false
	case !utf8.Valid(text):
		at := 0
		for rest := text; len(rest) > 0; rest = text[at:] {
			c, size := utf8.DecodeRune(rest)
			if c == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
		r.diags.Errorf(diag.Span{Source: r.src, Start: at, End: at + 1}, msgNotUTF8)
		return false
	}
	return r.checkLines()
}

// checkLines refuses long lines, and line breaks other than those of Unix and Windows.
func (r *reader) checkLines() bool {
	text := r.src.Text
	for i := range r.src.Lines() {
		if n := len(r.src.Line(i + 1)); n > maxLine {
			at := r.src.Offset(i+1, 1)
			r.diags.Errorf(diag.Span{Source: r.src, Start: at, End: at}, msgLineTooLong, n).
				WithHint("at most %d are read; formulas may go on over several lines after |", maxLine)
			return false
		}
	}
	for _, b := range []string{"\u0085", "\u2028", "\u2029"} {
		if i := bytes.Index(text, []byte(b)); i >= 0 {
			r.diags.Errorf(diag.Span{Source: r.src, Start: i, End: i + len(b)}, msgLineBreak, fmt.Sprintf("%+q", b))
			return false
		}
	}
	for i, b := range text {
		if b == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			r.diags.Errorf(diag.Span{Source: r.src, Start: i, End: i}, msgLineBreak, `"\r"`).WithHint(`end lines with "\n"`)
			return false
		}
	}
	return true
}

// syntaxError reports what the YAML parser says. It stops at the first error, so there is one at most.
func (r *reader) syntaxError(err error) {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		r.diags.Errorf(diag.Span{Source: r.src}, msgYAML, err.Error())
		return
	}
	mark := load.Mark
	// These are found where something else was expected; what helps is where the matter began.
	for _, s := range []string{"could not find expected ':'", "did not find expected ',' or", "found unexpected end of stream"} {
		if strings.HasPrefix(load.Message, s) && load.ContextMark.Line > 0 {
			mark = load.ContextMark
		}
	}
	at := r.src.Offset(mark.Line, mark.Column)
	msg := load.Message
	if load.ContextMsg != "" {
		msg += " " + load.ContextMsg
	}
	r.diags.Errorf(diag.Span{Source: r.src, Start: at, End: at}, msgYAML, msg).WithHint(r.yamlHint(load.Message, at))
}

// yamlHint translates messages of the YAML parser.
func (r *reader) yamlHint(message string, at int) string {
	starts := func(s string) bool { return strings.HasPrefix(message, s) }
	switch {
	case starts("mapping values are not allowed"):
		return `a value that holds ": " needs quotes; keys of one mapping start in the same column`
	case starts("found character that cannot start any token") && at < len(r.src.Text):
		if r.src.Text[at] == '\t' {
			return "YAML does not allow tabs for indentation: use spaces"
		}
		return fmt.Sprintf("a value cannot start with %q: put it in quotes", r.src.Text[at])
	case starts("did not find expected ',' or"):
		return "this bracket is not closed, a comma is missing after an item, or a formula has brackets, as x[1]: put it on a line of its own"
	case starts("could not find expected ':'"):
		return `write "key: value", with a space after the colon`
	case starts("did not find expected node content"):
		return "a value is missing here, or a bracket is not closed"
	case starts("did not find expected key"), starts("did not find expected '-'"):
		return "check the indentation: what belongs together starts in the same column"
	case starts("found unexpected end of stream"):
		return "this quotation mark is not closed"
	}
	return ""
}
