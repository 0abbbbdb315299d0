package explain

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sngdgen/sngdgen/expr"
)

// format writes the parts of an explanation.
type format interface {
	title(name, doc string)
	heading(s string)
	text(s string, math ...side) // every @ in s stands for a formula
	equations(list []equation)
	rule(name, doc string)
	step(before, after *expr.Node)
	remark(s string, math ...side) // on the last step, as text
	where(parts []equation)        // names of the last formulas
	table(rows [][]string)         // what each is, and numbers
	items(list [][2]string)        // what each is, and what there is to say of it
	functions(heading string, list []definition)
	String() string
}

// width is the length of a line of text.
const width = 110

// textFormat writes plain text.
type textFormat struct {
	b       strings.Builder
	section int
}

func (f *textFormat) String() string { return f.b.String() }

func (f *textFormat) title(name, doc string) {
	f.b.WriteString(name + "\n" + strings.Repeat("=", utf8.RuneCountInString(name)) + "\n")
	f.text(sentence(doc))
}

func (f *textFormat) heading(s string) {
	f.section++
	s = fmt.Sprintf("%d. %s", f.section, s)
	fmt.Fprintf(&f.b, "\n%s\n%s\n", s, strings.Repeat("-", utf8.RuneCountInString(s)))
}

// text writes a paragraph.
func (f *textFormat) text(s string, math ...side) {
	if s == "" {
		return
	}
	f.b.WriteString("\n")
	f.fill(filled(s, math, func(m side) string { return m.text }), 0)
}

// fill writes words into lines, the first one indented as it is and the others by some columns.
func (f *textFormat) fill(s string, by int) {
	first := len(s) - len(strings.TrimLeft(s, " "))
	f.b.WriteString(s[:first])
	line := first
	for i, word := range strings.Fields(s) {
		if i > 0 && line+1+len(word) > width {
			f.b.WriteString("\n" + strings.Repeat(" ", by))
			line = by
		} else if i > 0 {
			f.b.WriteString(" ")
			line++
		}
		f.b.WriteString(word)
		line += len(word)
	}
	f.b.WriteString("\n")
}

// filled puts formulas in the places of the @ of a text; without formulas it is left alone.
func filled(s string, math []side, format func(side) string) string {
	var b strings.Builder
	for i, words := range strings.SplitN(s, "@", len(math)+1) {
		if i > 0 {
			b.WriteString(format(math[i-1]))
		}
		b.WriteString(words)
	}
	return b.String()
}

// equations aligns the relations.
func (f *textFormat) equations(list []equation) {
	f.b.WriteString("\n")
	f.align(list, "  ")
}

func (f *textFormat) align(list []equation, indent string) {
	longest := 0
	for _, q := range list {
		longest = max(longest, len(q.side.text))
	}
	for _, q := range list {
		start := indent
		if longest > 0 && q.node != nil {
			start += q.side.text + strings.Repeat(" ", longest-len(q.side.text)) + " = "
		}
		f.b.WriteString(start + broken(q.right(longest), len(start)) + "\n")
	}
}

// right is what follows the relation, the whole line where there is none.
func (q equation) right(longest int) string {
	switch {
	case q.node == nil && q.note == "":
		return q.side.text
	case q.node == nil:
		return fmt.Sprintf("%-*s  %s", longest, q.side.text, q.note)
	case q.note == "":
		return q.node.String()
	}
	return q.node.String() + "   (" + q.note + ")"
}

func (f *textFormat) rule(name, doc string) {
	f.b.WriteString("\n")
	f.fill("  ["+name+"] "+doc, 2)
}

// indent is where steps start.
const indent = "       "

func (f *textFormat) step(before, after *expr.Node) {
	left, right := broken(before.String(), len(indent)), broken(after.String(), len(indent))
	fmt.Fprintf(&f.b, "\n%s%s\n    => %s\n", indent, left, right)
}

func (f *textFormat) remark(s string, math ...side) {
	f.fill("    ("+filled(s, math, func(m side) string { return m.text })+")", 5)
}

func (f *textFormat) where(parts []equation) {
	if len(parts) == 0 {
		return
	}
	f.b.WriteString("    where\n")
	f.align(parts, indent)
}

func (f *textFormat) items(list [][2]string) {
	f.b.WriteString("\n")
	for _, it := range list {
		f.fill("  "+it[0]+": "+it[1], 4)
	}
}

func (f *textFormat) table(rows [][]string) {
	w := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			w[i] = max(w[i], len(c))
		}
	}
	f.b.WriteString("\n")
	for _, r := range rows {
		fmt.Fprintf(&f.b, "  %-*s", w[0], r[0])
		for i, c := range r[1:] {
			fmt.Fprintf(&f.b, "  %*s", w[i+1], c)
		}
		f.b.WriteString("\n")
	}
}

func (f *textFormat) functions(heading string, list []definition) {
	if len(list) == 0 {
		return
	}
	f.heading(heading)
	f.b.WriteString("\n")
	longest := 0
	for _, d := range list {
		longest = max(longest, len(d.call()))
	}
	for _, d := range list {
		fmt.Fprintf(&f.b, "  %-*s  %s\n", longest, d.call(), d.doc)
	}
}

// call is the function with operands, named as its doc does.
func (d definition) call() string {
	if d.arity == 0 {
		return d.name
	}
	return d.name + "(" + strings.Join(expr.OperandNames(d.arity), ", ") + ")"
}

// typeset is the LaTeX of a call.
func (d definition) typeset() string {
	out := d.latex
	for i, name := range expr.OperandNames(d.arity) {
		out = strings.ReplaceAll(out, fmt.Sprintf("#%d", i+1), name)
	}
	return out
}
