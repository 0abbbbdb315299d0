package emit

import (
	"bytes"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// gofmt breaks no lines. What is generated is read by people, so that long lines are broken here once they have been formatted:
// prose between words, formulas and code after an operator or a comma that is in as few parentheses as possible.

// width is how many columns a line has at most, where it can be broken, with tabs of so many.
const (
	width    = 118
	tabWidth = 4
)

// wrap breaks the lines of formatted source that are too long. The result is to be formatted again.
func wrap(source []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(source) + len(source)/8)
	rest := "" // of a paragraph, which goes on in the next line
	for line := range strings.Lines(string(source)) {
		line = strings.TrimSuffix(line, "\n")
		indent := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
		text, prose := strings.CutPrefix(line[len(indent):], "// ")
		if rest != "" && prose {
			line = indent + "// " + rest + " " + text
		} else if rest != "" {
			out.WriteString(indent + "// " + rest + "\n")
		}
		rest = ""
		switch {
		case columns(line) <= width || strings.HasPrefix(line, header): // which tools look for
			out.WriteString(line)
		case prose:
			rest = fill(&out, line, indent+"// ")
		case strings.HasPrefix(line, indent+"//\t"):
			split(&out, line, indent+"//\t\t", operators)
		default:
			wrapCode(&out, line, indent)
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// fill writes the lines of a paragraph that are full, and returns the rest.
func fill(out *bytes.Buffer, line, prefix string) (rest string) {
	var lines bytes.Buffer
	split(&lines, line, prefix, words)
	last := strings.LastIndexByte(lines.String(), '\n')
	out.WriteString(lines.String()[:max(last, 0)])
	return strings.TrimPrefix(lines.String()[last+1:], prefix)
}

// wrapCode writes a line of Go; a comment at its end goes above.
func wrapCode(out *bytes.Buffer, line, indent string) {
	if code, comment := trailing(line); comment != "" {
		split(out, indent+comment, indent+"// ", words)
		out.WriteByte('\n')
		line = strings.TrimRight(code, " ")
	}
	split(out, line, indent+"\t", tokens)
}

// columns is how wide a line is.
func columns(line string) int { return len(line) + (tabWidth-1)*strings.Count(line, "\t") }

// breakpoint is a place where a line may go on in the next, and how deep in a formula it is: in how many parentheses, and whether
// in a product.
type breakpoint struct{ at, depth int }

// split writes a line in parts, of which those after the first begin with a prefix.
func split(out *bytes.Buffer, line, prefix string, where func(string) []breakpoint) {
	for start := 0; columns(line) > width; start = len(prefix) {
		var best breakpoint
		for _, p := range where(line) {
			if p.at > start && columns(line[:p.at]) <= width && (best.at == 0 || p.depth <= best.depth) {
				best = p
			}
		}
		if best.at == 0 {
			break
		}
		out.WriteString(strings.TrimRight(line[:best.at], " "))
		out.WriteByte('\n')
		line = prefix + strings.TrimLeft(line[best.at:], " ")
	}
	out.WriteString(line)
}

// words are the ends of words.
func words(line string) []breakpoint {
	var out []breakpoint
	for i := range line {
		if line[i] == ' ' && strings.Trim(line[:i], "\t/ ") != "" {
			out = append(out, breakpoint{at: i})
		}
	}
	return out
}

// operators are the places behind operators and commas of a formula.
func operators(line string) []breakpoint {
	var out []breakpoint
	depth := 0
	for i := range line {
		switch line[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '+', '-', ',', '=':
			if strings.HasPrefix(line[i+1:], " ") {
				out = append(out, breakpoint{i + 1, depth})
			}
		}
	}
	return out
}

// tokens are the places of a line of Go behind binary operators and commas.
func tokens(line string) []breakpoint {
	var out []breakpoint
	depth, last := 0, token.ILLEGAL
	scan(line, func(at int, tok token.Token, text string) {
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth += 2
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth -= 2
		case token.COMMA, token.LOR, token.LAND:
			out = append(out, breakpoint{at + len(text), depth})
		case token.ADD, token.SUB, token.MUL, token.QUO:
			if !slices.Contains([]token.Token{token.IDENT, token.FLOAT, token.INT, token.RPAREN, token.RBRACK}, last) {
				break // a sign
			}
			p := breakpoint{at + len(tok.String()), depth}
			if tok == token.MUL || tok == token.QUO {
				p.depth++
			}
			out = append(out, p)
		}
		last = tok
	})
	return out
}

// trailing takes a comment from the end of a line of Go.
func trailing(line string) (code, comment string) {
	code = line
	scan(line, func(at int, tok token.Token, text string) {
		if tok == token.COMMENT {
			code, comment = line[:at], text
		}
	})
	return code, comment
}

// scan goes through the tokens of a line of Go.
func scan(line string, visit func(at int, tok token.Token, text string)) {
	var s scanner.Scanner
	set := token.NewFileSet()
	f := set.AddFile("", -1, len(line))
	s.Init(f, []byte(line), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return
		}
		if text == "" {
			text = tok.String()
		}
		visit(f.Offset(pos), tok, text)
	}
}
