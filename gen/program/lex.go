package program

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SyntaxError is what is wrong with the text of a program. Lines and columns count from 1, columns in characters.
type SyntaxError struct {
	Line, Column int
	Message      string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

// tokenKind is what a token is.
type tokenKind int

const (
	endOfText tokenKind = iota
	endOfLine
	word   // a name, with dots inside
	digits // a number without a sign
	symbol // one character, or +=
)

type token struct {
	kind         tokenKind
	text         string
	line, column int
}

// is reports whether a token is a word or a symbol.
func (t token) is(text string) bool { return (t.kind == word || t.kind == symbol) && t.text == text }

// String names a token in messages.
func (t token) String() string {
	switch t.kind {
	case endOfText:
		return "the end"
	case endOfLine:
		return "the end of the line"
	}
	return fmt.Sprintf("%q", t.text)
}

// lex splits a text into tokens, the last of which is the end. Lines without a statement have no tokens.
func lex(text string) []token {
	var out []token
	line, column := 1, 1
	for len(text) > 0 {
		n, kind := next(text)
		t := token{kind, text[:n], line, column}
		switch {
		case kind == endOfLine:
			if len(out) > 0 && out[len(out)-1].kind != endOfLine {
				out = append(out, t)
			}
			line, column = line+1, 0
		case strings.TrimSpace(t.text) != "":
			out = append(out, t)
		}
		column += utf8.RuneCountInString(t.text)
		text = text[n:]
	}
	return append(out, token{endOfText, "", line, column})
}

// next is the length and the kind of the first token of a text.
func next(text string) (int, tokenKind) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == '\n':
		return size, endOfLine
	case letter(r):
		return wordLength(text), word
	case '0' <= r && r <= '9':
		return numberLength(text), digits
	case strings.HasPrefix(text, "+=") || strings.HasPrefix(text, "<="):
		return 2, symbol
	}
	return size, symbol
}

func letter(r rune) bool { return r == '_' || unicode.IsLetter(r) }

// wordLength counts letters, digits and dots in front of letters.
func wordLength(text string) int {
	for n := 0; ; {
		r, size := utf8.DecodeRuneInString(text[n:])
		after, _ := utf8.DecodeRuneInString(text[n+size:])
		if size == 0 || !letter(r) && !unicode.IsDigit(r) && (r != '.' || !letter(after)) {
			return n
		}
		n += size
	}
}

// numberLength counts what belongs to a number: 12, 1.5, 1e-07.
func numberLength(text string) int {
	count := func(from int) int {
		n := from
		for n < len(text) && '0' <= text[n] && text[n] <= '9' {
			n++
		}
		return n
	}
	n := count(0)
	if n+1 < len(text) && text[n] == '.' && count(n+1) > n+1 {
		n = count(n + 1)
	}
	if n < len(text) && text[n] == 'e' {
		from := n + 1
		if from < len(text) && (text[from] == '+' || text[from] == '-') {
			from++
		}
		if end := count(from); end > from {
			n = end
		}
	}
	return n
}
