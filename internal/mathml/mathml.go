// Package mathml typesets the LaTeX that package explain writes as MathML, which browsers show without a library: formulas of the
// commands in its tables, and nothing else of TeX. What it does not know is an error, never markup.
package mathml

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// deepest is how many groups may stand within each other.
const deepest = 200

// Inline typesets a formula in a line of text.
func Inline(latex string) (string, error) {
	row, err := Row(latex)
	return "<math>" + row + "</math>", err
}

// Row typesets a formula as an <mrow>, for a larger one.
func Row(latex string) (row string, err error) {
	p := &parser{rest: latex}
	row, err = p.row("")
	if err != nil {
		return "", fmt.Errorf("mathml: %w", err)
	}
	return row, nil
}

// parser goes through a formula once.
type parser struct {
	rest  string
	depth int
}

// token cuts the next command or character off; blanks mean nothing.
func (p *parser) token() string {
	p.rest = strings.TrimLeft(p.rest, " \t\n")
	t := p.peek()
	p.rest = p.rest[len(t):]
	return t
}

// peek is the next token where no blanks are before it, "" at the end.
func (p *parser) peek() string {
	switch {
	case p.rest == "":
		return ""
	case p.rest[0] != '\\':
		_, size := utf8.DecodeRuneInString(p.rest)
		return p.rest[:size]
	}
	end := 1
	for end < len(p.rest) && letter(p.rest[end]) {
		end++
	}
	if end == 1 && len(p.rest) > 1 {
		_, size := utf8.DecodeRuneInString(p.rest[1:])
		end = 1 + size
	}
	return p.rest[:end]
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// row reads formulas to a token that ends them.
func (p *parser) row(end string) (string, error) {
	if p.depth++; p.depth > deepest {
		return "", fmt.Errorf("more than %d groups within each other", deepest)
	}
	defer func() { p.depth-- }()
	var b strings.Builder
	b.WriteString("<mrow>")
	for {
		t := p.token()
		switch {
		case t == end:
			b.WriteString("</mrow>")
			return b.String(), nil
		case t == "":
			return "", fmt.Errorf("%s is missing", end)
		}
		item, err := p.scripted(t)
		if err != nil {
			return "", err
		}
		b.WriteString(item)
	}
}

// scripted reads what begins with a token, with its subscript and superscript.
func (p *parser) scripted(t string) (string, error) {
	base, err := p.atom(t)
	if err != nil {
		return "", err
	}
	var sub, super string
	for {
		p.rest = strings.TrimLeft(p.rest, " ")
		switch next := p.peek(); {
		case next == "_" && sub == "":
			p.token()
			sub, err = p.argument()
		case next == "^" && super == "":
			p.token()
			super, err = p.argument()
		case next == "_" || next == "^":
			return "", fmt.Errorf("two scripts %s at one place", next)
		default:
			return attach(base, sub, super, t == `\sum`), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// attach puts scripts at a base, or limits under and over it.
func attach(base, sub, super string, limits bool) string {
	name := map[bool]string{false: "msubsup", true: "munderover"}[limits]
	switch {
	case sub == "" && super == "":
		return base
	case super == "":
		name, base = map[bool]string{false: "msub", true: "munder"}[limits], base+sub
	case sub == "":
		name, base = map[bool]string{false: "msup", true: "mover"}[limits], base+super
	default:
		base += sub + super
	}
	return "<" + name + ">" + base + "</" + name + ">"
}

// argument reads a group, or one token.
func (p *parser) argument() (string, error) {
	switch t := p.token(); t {
	case "":
		return "", fmt.Errorf("an operand is missing at the end")
	case "{":
		return p.row("}")
	default:
		return p.atom(t)
	}
}

// word reads the text of a group, in which { } mean nothing but themselves where they are escaped.
func (p *parser) word() (string, error) {
	if t := p.token(); t != "{" {
		return "", fmt.Errorf("text in braces is missing")
	}
	var b strings.Builder
	for p.rest != "" {
		t := p.peek()
		p.rest = p.rest[len(t):]
		plain, known := escapes[t]
		switch {
		case t == "}":
			return b.String(), nil
		case t == `\texttt`, t == `\text`:
			inner, err := p.word()
			if err != nil {
				return "", err
			}
			b.WriteString(inner)
		case known:
			b.WriteString(plain)
			p.rest = strings.TrimPrefix(p.rest, "{}")
		case t[0] == '\\' || t == "{":
			return "", fmt.Errorf("%s in a text", t)
		default:
			b.WriteString(t)
		}
	}
	return "", fmt.Errorf("a text is never closed")
}

// atom reads what begins with a token, without scripts.
func (p *parser) atom(t string) (string, error) {
	if s, ok := symbols()[t]; ok {
		return s, nil
	}
	switch t {
	case "{":
		return p.row("}")
	case `\frac`:
		return p.two("mfrac")
	case `\sqrt`:
		x, err := p.argument()
		return "<msqrt>" + x + "</msqrt>", err
	case `\left`:
		return p.fenced()
	case `\operatorname`, `\mathrm`, `\mathbf`, `\text`, `\texttt`:
		return p.named(t)
	}
	switch c := t[0]; {
	case digit(c):
		return p.number(t), nil
	case letter(c):
		return "<mi>" + t + "</mi>", nil
	case c == '\\' || strings.ContainsAny(t, "{}$&#%~"):
		return "", fmt.Errorf("unknown command %q", t)
	case c < utf8.RuneSelf:
		return operator(t), nil
	}
	return "<mi>" + html.EscapeString(t) + "</mi>", nil
}

// two reads an element with two operands.
func (p *parser) two(name string) (string, error) {
	a, err := p.argument()
	if err != nil {
		return "", err
	}
	b, err := p.argument()
	return "<" + name + ">" + a + b + "</" + name + ">", err
}

// fenced reads \left( ... \right).
func (p *parser) fenced() (string, error) {
	open, err := p.fence()
	if err != nil {
		return "", err
	}
	inner, err := p.row(`\right`)
	if err != nil {
		return "", err
	}
	shut, err := p.fence()
	return "<mrow>" + open + inner + shut + "</mrow>", err
}

// fence reads one that stretches; a point is none.
func (p *parser) fence() (string, error) {
	t := p.token()
	if t == "." {
		return "", nil
	}
	mark, ok := fences[t]
	if !ok {
		return "", fmt.Errorf("%q is no parenthesis", t)
	}
	return `<mo fence="true" stretchy="true">` + mark + "</mo>", nil
}

// named reads upright names, and texts.
func (p *parser) named(command string) (string, error) {
	text, err := p.word()
	if err != nil {
		return "", err
	}
	switch command {
	case `\text`:
		return "<mtext>" + strings.ReplaceAll(html.EscapeString(text), " ", "\u00a0") + "</mtext>", nil
	case `\texttt`:
		return `<mtext class="code">` + html.EscapeString(text) + "</mtext>", nil
	case `\mathbf`:
		return `<mi mathvariant="normal">` + html.EscapeString(bold(text)) + "</mi>", nil
	case `\operatorname`:
		return `<mi mathvariant="normal">` + html.EscapeString(text) + "</mi>" + p.applied(), nil
	}
	return `<mi mathvariant="normal">` + html.EscapeString(text) + "</mi>", nil
}

// applied is what stands between the name of a function and its operand: a little room where that has no parentheses.
func (p *parser) applied() string {
	rest := strings.TrimLeft(p.rest, " ")
	if rest == "" || strings.ContainsRune("([{}_^", rune(rest[0])) || strings.HasPrefix(rest, `\left`) || strings.HasPrefix(rest, `\right`) {
		return ""
	}
	return `<mspace width="0.1667em"></mspace>`
}

// number reads the rest of a number.
func (p *parser) number(first string) string {
	end := 0
	for end < len(p.rest) && (digit(p.rest[end]) || p.rest[end] == '.' && end+1 < len(p.rest) && digit(p.rest[end+1])) {
		end++
	}
	first, p.rest = first+p.rest[:end], p.rest[end:]
	return "<mn>" + first + "</mn>"
}

func operator(t string) string {
	switch t {
	case "-":
		return "<mo>−</mo>"
	case "'":
		return "<mo>′</mo>"
	case "(", ")", "[", "]", "|":
		return `<mo stretchy="false">` + t + "</mo>"
	case "/":
		return `<mo lspace="0" rspace="0">/</mo>`
	}
	return "<mo>" + html.EscapeString(t) + "</mo>"
}

// bold is a text in the bold letters of Unicode, which need no variants.
func bold(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return 0x1d400 + r - 'A'
		case r >= 'a' && r <= 'z':
			return 0x1d41a + r - 'a'
		case r >= '0' && r <= '9':
			return 0x1d7ce + r - '0'
		}
		return r
	}, text)
}
