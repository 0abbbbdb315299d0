package syntax

import (
	"fmt"
	"strconv"
	"strings"
)

// Format writes a tree as a formula with no more parentheses than needed: parsing the result gives an equal tree.
func Format(e Expr) string {
	var b strings.Builder
	write(&b, e, 0)
	return b.String()
}

// Binding powers of what is no infix operator.
const (
	powCompare = 0
	powAtom    = 6
)

// power returns how tightly the outermost operation of a tree binds.
func power(e Expr) int {
	switch e := e.(type) {
	case *Compare:
		return powCompare
	case *Binary:
		return binding(kind(e.Op))
	case *Unary:
		if e.Op == '-' {
			return powSign
		}
		return powPostfix
	case *Number:
		if e.Value < 0 {
			return powSign
		}
	case *Index:
		return powPostfix
	case *Slice, *In, *Interval, *Onward:
		return powCompare
	}
	return powAtom
}

// write writes a tree where at least the given power is asked for, in parentheses if it binds less tightly.
func write(b *strings.Builder, e Expr, asked int) {
	if power(e) < asked {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	switch e := e.(type) {
	case *Number:
		b.WriteString(literal(e))
	case *Name:
		b.WriteString(e.Name)
	case *Unary:
		writeUnary(b, e)
	case *Binary:
		writeBinary(b, e)
	case *Compare:
		write(b, e.X, powSum)
		b.WriteString(" " + e.Op + " ")
		write(b, e.Y, powSum)
	case *Call:
		writeCall(b, e)
	case *Index:
		write(b, e.X, powPostfix)
		b.WriteByte('[')
		writeList(b, e.Subs)
		b.WriteByte(']')
	case *Slice:
		write(b, e.From, powSum)
		b.WriteByte(':')
		write(b, e.To, powSum)
	case *List:
		b.WriteByte('[')
		writeList(b, e.Items)
		b.WriteByte(']')
	case *In:
		word := " in "
		if _, onward := e.Over.(*Onward); onward {
			word = " from "
		}
		b.WriteString(e.Name.Name + word)
		write(b, e.Over, powCompare)
	case *Interval:
		b.WriteByte('(')
		writeList(b, []Expr{e.Lo, e.Hi})
		b.WriteByte(')')
	case *Onward:
		write(b, e.From, powSum)
	case nil:
	default:
		fmt.Fprintf(b, "%T", e)
	}
}

// literal returns the spelling of a number. A dot at its end is dropped, since 2.*x reads as an operator .* .
func literal(n *Number) string {
	if n.Text != "" {
		return strings.TrimSuffix(n.Text, ".")
	}
	return strconv.FormatFloat(n.Value, 'g', -1, 64)
}

func writeUnary(b *strings.Builder, e *Unary) {
	if e.Op == '-' {
		b.WriteByte('-')
		write(b, e.X, powSign)
		return
	}
	write(b, e.X, powPostfix)
	b.WriteByte(e.Op)
}

func writeBinary(b *strings.Builder, e *Binary) {
	p := binding(kind(e.Op))
	left, right := p, p+1
	if e.Op == '^' {
		left, right = p+1, powSign // groups to the right, and takes a signed exponent
	}
	write(b, e.X, left)
	switch e.Op {
	case '+', '-', '@':
		b.WriteString(" " + string(rune(e.Op)) + " ")
	default:
		b.WriteByte(e.Op)
	}
	write(b, e.Y, right)
}

func writeCall(b *strings.Builder, e *Call) {
	b.WriteString(e.Fun + "(")
	writeList(b, e.Args)
	if len(e.Params) > 0 {
		b.WriteString("; ")
		writeList(b, e.Params)
	}
	b.WriteByte(')')
}

func writeList(b *strings.Builder, list []Expr) {
	for i, e := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, e, powCompare)
	}
}
