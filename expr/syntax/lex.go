package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer cuts a text into tokens. Faults are reported and then read as what was probably meant, so that one run finds
// them all.
type lexer struct {
	text   string
	pos    int
	tokens []token
	errs   *[]Error
}

// lex returns the tokens of the text, the last of which is tokEOF.
func lex(text string, errs *[]Error) []token {
	l := &lexer{text: text, errs: errs}
	for l.skipSpace(); l.pos < len(l.text); l.skipSpace() {
		l.next()
	}
	return append(l.tokens, token{kind: tokEOF, start: len(text), end: len(text)})
}

func (l *lexer) skipSpace() {
	for l.pos < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.pos]) >= 0 {
		l.pos++
	}
}

// next reads one token.
func (l *lexer) next() {
	switch c := l.text[l.pos]; {
	case isDigit(c), c == '.' && isDigit(l.at(1)):
		l.number()
	case isLetter(c):
		l.name()
	default:
		l.operator()
	}
}

// at returns the byte at a distance from the position, or zero past the end.
func (l *lexer) at(distance int) byte {
	if i := l.pos + distance; i < len(l.text) {
		return l.text[i]
	}
	return 0
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
func isWord(c byte) bool   { return isDigit(c) || isLetter(c) }

// emit adds a token of n bytes.
func (l *lexer) emit(k kind, n int) {
	l.tokens = append(l.tokens, token{kind: k, start: l.pos, end: l.pos + n})
	l.pos += n
}

// fail reports a fault of n bytes and reads it as k.
func (l *lexer) fail(k kind, n int, msg, hint string) {
	*l.errs = append(*l.errs, Error{Start: l.pos, End: l.pos + n, Msg: msg, Hint: hint})
	l.emit(k, n)
}

// number reads a literal. What a letter, a digit or a dot follows without an operator is one malformed number, except
// a name right after the digits: 2x lacks an operator, which the parser says better.
func (l *lexer) number() {
	n := l.digits(0)
	if l.at(n) == '.' && strings.IndexByte("*/^'", l.at(n+1)) < 0 {
		n = l.digits(n + 1)
	}
	if e := l.exponent(n); e > n {
		n = e
	}
	if l.at(n) == '.' && isDigit(l.at(n+1)) {
		for l.at(n) == '.' || isDigit(l.at(n)) {
			n++
		}
		l.fail(tokNumber, n, fmt.Sprintf("malformed number %q", clip(l.text[l.pos:l.pos+n])), "")
		return
	}
	value, err := strconv.ParseFloat(l.text[l.pos:l.pos+n], 64)
	if err != nil || value == 0 && strings.ContainsAny(mantissa(l.text[l.pos:l.pos+n]), "123456789") {
		l.fail(tokNumber, n, fmt.Sprintf("number %s is out of range", clip(l.text[l.pos:l.pos+n])), "")
		return
	}
	l.emit(tokNumber, n)
	l.tokens[len(l.tokens)-1].value = value
}

// mantissa returns a literal without its exponent.
func mantissa(literal string) string {
	m, _, _ := strings.Cut(strings.ToLower(literal), "e")
	return m
}

// digits returns the distance of the first byte at or after n that is no digit.
func (l *lexer) digits(n int) int {
	for isDigit(l.at(n)) {
		n++
	}
	return n
}

// exponent returns the distance of the end of an exponent that starts at n, or n if there is none.
func (l *lexer) exponent(n int) int {
	if c := l.at(n); c != 'e' && c != 'E' {
		return n
	}
	m := n + 1
	if c := l.at(m); c == '+' || c == '-' {
		m++
	}
	if end := l.digits(m); end > m {
		return end
	}
	return n
}

// name reads an identifier, with its dotted parts: the parser knows where a dot may stand.
func (l *lexer) name() {
	n := l.word(0)
	for l.at(n) == '.' && isLetter(l.at(n+1)) {
		n = l.word(n + 1)
	}
	l.emit(tokName, n)
}

func (l *lexer) word(n int) int {
	for isWord(l.at(n)) {
		n++
	}
	return n
}

// signs are the operators, brackets and separators of one byte.
const signs = "+-*/^@'()[]<>=,;:"

// operator reads an operator, a parenthesis or a separator, or explains what stands there instead.
func (l *lexer) operator() {
	rest := l.text[l.pos:]
	for n := 3; n >= 1; n-- { // the longest entries are 3 bytes: one rune, or two ASCII signs
		if n > len(rest) || n == 1 && strings.IndexByte(signs, rest[0]) >= 0 {
			continue
		}
		if f, ok := foreign[rest[:n]]; ok {
			l.fail(f.as, n, f.msg, f.hint)
			return
		}
	}
	switch c := rest[0]; {
	case c == '<' && l.at(1) == '=':
		l.emit(tokLE, 2)
	case c == '>' && l.at(1) == '=':
		l.emit(tokGE, 2)
	case strings.IndexByte(signs, c) >= 0:
		l.emit(kind(c), 1)
	default:
		l.unknown(rest)
	}
}

// unknown reports a rune that has no place in a formula. A word with foreign letters is reported as a whole.
func (l *lexer) unknown(rest string) {
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == utf8.RuneError && size <= 1:
		l.fail(tokBad, size, "the text is not UTF-8", "")
	case unicode.IsLetter(r):
		word, spelled := foreignWord(l.wordStart())
		hint := "names are made of a-z, A-Z, 0-9 and _"
		if spelled != "" {
			hint = "write " + spelled
		}
		l.fail(tokName, len(word), fmt.Sprintf("unexpected letter in %q", clip(word)), hint)
	default:
		l.fail(tokBad, size, fmt.Sprintf("unexpected character %+q", r), "")
	}
}

// wordStart takes back the name that ends at the position, if there is one, and returns the text from its start.
func (l *lexer) wordStart() string {
	if n := len(l.tokens); n > 0 && l.tokens[n-1].kind == tokName && l.tokens[n-1].end == l.pos {
		l.pos = l.tokens[n-1].start
		l.tokens = l.tokens[:n-1]
	}
	return l.text[l.pos:]
}

// foreignWord returns the word at the start of the text and, if Greek letters are all that is wrong with it, the word
// with these spelled out.
func foreignWord(text string) (word, spelled string) {
	var b strings.Builder
	good := true
	end := len(text)
	for i, r := range text {
		if r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end = i
			break
		}
		switch name, ok := greek[r]; {
		case ok:
			b.WriteString(name)
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		default:
			good = false
		}
	}
	if !good {
		return text[:end], ""
	}
	return text[:end], b.String()
}

// clip shortens a text that is quoted in a message.
func clip(s string) string {
	const limit = 40
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}
