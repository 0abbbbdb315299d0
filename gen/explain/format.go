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
	step(before, after *expr.Node, parts []equation)
	table(rows [][3]string)
	functions(list []definition)
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
	s = filled(s, math, func(m side) string { return m.text })
	f.b.WriteString("\n")
	line := 0
	for i, word := range strings.Fields(s) {
		if i > 0 && line+1+len(word) > width {
			f.b.WriteString("\n")
			line = 0
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
	for _, m := range math {
		s = strings.Replace(s, "@", format(m), 1)
	}
	return s
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
		if longest > 0 {
			start += q.side.text + strings.Repeat(" ", longest-len(q.side.text))
			if q.node != nil {
				start += " = "
			}
		}
		note := ""
		if q.note != "" {
			note = "  " + q.note
		}
		formula := ""
		if q.node != nil {
			if formula = q.node.String(); note != "" {
				note = "   (" + q.note + ")"
			}
		}
		f.b.WriteString(strings.TrimRight(start+broken(formula, len(start))+note, " ") + "\n")
	}
}

// broken breaks a formula that starts at a column into lines, at the least nested operators.
func broken(s string, column int) string {
	room := width - column
	var out []string
	for len(s) > room {
		at := breakAt(s, room)
		if at <= 0 {
			break
		}
		out = append(out, strings.TrimRight(s[:at], " "))
		s = s[at:]
	}
	return strings.Join(append(out, s), "\n"+strings.Repeat(" ", column+2))
}

// breakAt is the last place before a + or - or * with the least nesting that leaves a line of some length.
func breakAt(s string, room int) int {
	best, bestDepth := -1, 1<<30
	depth := 0
	for i := 0; i < min(len(s), room); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if i < room/3 || depth > bestDepth {
			continue
		}
		if strings.HasPrefix(s[i:], " + ") || strings.HasPrefix(s[i:], " - ") {
			best, bestDepth = i+1, depth
		}
	}
	return best
}

func (f *textFormat) rule(name, doc string) {
	fmt.Fprintf(&f.b, "\n  [%s] %s\n", name, doc)
}

func (f *textFormat) step(before, after *expr.Node, parts []equation) {
	const indent = "       "
	fmt.Fprintf(&f.b, "\n%s%s\n    => %s\n", indent, broken(before.String(), len(indent)), broken(after.String(), len(indent)))
	if len(parts) == 0 {
		return
	}
	f.b.WriteString("    where\n")
	f.align(parts, indent)
}

func (f *textFormat) table(rows [][3]string) {
	var w [3]int
	for _, r := range rows {
		for i, c := range r {
			w[i] = max(w[i], len(c))
		}
	}
	f.b.WriteString("\n")
	for _, r := range rows {
		fmt.Fprintf(&f.b, "  %-*s  %*s  %*s\n", w[0], r[0], w[1], r[1], w[2], r[2])
	}
}

func (f *textFormat) functions(list []definition) {
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
	switch d.arity {
	case 1:
		return d.name + "(x)"
	case 2:
		return d.name + "(x, y)"
	}
	return d.name
}
