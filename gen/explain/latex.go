package explain

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/sngdgen/sngdgen/expr"
)

// latexFormat writes a LaTeX fragment that needs amsmath.
type latexFormat struct{ b strings.Builder }

func (f *latexFormat) String() string { return f.b.String() }

func (f *latexFormat) title(name, doc string) {
	f.b.WriteString("% Written by sngdgen explain. Needs \\usepackage{amsmath}.\n")
	fmt.Fprintf(&f.b, "\\section*{%s}\n", escape(name))
	f.text(sentence(doc))
}

func (f *latexFormat) heading(s string) { fmt.Fprintf(&f.b, "\n\\subsection*{%s}\n", escape(s)) }

func (f *latexFormat) text(s string, math ...side) {
	if s != "" {
		fmt.Fprintf(&f.b, "\n%s\n", f.inline(s, math))
	}
}

// inline is text with formulas in it.
func (f *latexFormat) inline(s string, math []side) string {
	return filled(escape(s), math, func(m side) string { return "$" + m.latex + "$" })
}

// escaper makes plain text of LaTeX's special characters.
var escaper = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`,
	"%", `\%`, "_", `\_`, "^", `\textasciicircum{}`, "~", `\textasciitilde{}`, "<", `\textless{}`, ">", `\textgreater{}`)

func escape(s string) string { return escaper.Replace(s) }

func (f *latexFormat) equations(list []equation) { f.align(lines(list)) }

// lines are equations with their places to align.
func lines(list []equation) []string {
	var out []string
	for _, q := range list {
		line := q.side.latex + " &"
		if q.node != nil {
			if q.side.latex != "" {
				line += "= "
			}
			line += brokenLaTeX(q.node)
		}
		if q.note != "" {
			line += `\quad \text{` + escape(q.note) + "}"
		}
		out = append(out, line)
	}
	return out
}

func (f *latexFormat) align(lines []string) {
	f.b.WriteString("\\begin{align*}\n  " + strings.Join(lines, " \\\\\n  ") + "\n\\end{align*}\n")
}

// lineLaTeX is how many visible characters go on a line.
const lineLaTeX = 70

// brokenLaTeX breaks a long sum between its terms.
func brokenLaTeX(n *expr.Node) string {
	return strings.Join(latexLines(n.LaTeX()), " \\\\\n  &\\quad ")
}

// latexLines are the lines of a long sum.
func latexLines(formula string) []string {
	var lines []string
	line, used := "", 0
	for _, term := range topLevelTerms(formula) {
		size := visible(term)
		if used > 0 && used+size > lineLaTeX {
			lines = append(lines, line)
			line, used = strings.TrimPrefix(term, " "), size
			continue
		}
		line, used = line+term, used+size
	}
	return append(lines, line)
}

var command = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\(left|right|frac|operatorname|mathrm|,)|\\[a-zA-Z]+|[{}^_ ]`)
})

// visible estimates how many characters of a formula are seen side by side; a fraction stacks some.
func visible(s string) int {
	size := len(command().ReplaceAllString(s, "."))
	if strings.Contains(s, `\frac`) {
		size = size*2/3 + 1
	}
	return size
}

// topLevelTerms splits a formula before the + and - that are in no group.
func topLevelTerms(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch rest := s[i:]; {
		case rest[0] == '{', strings.HasPrefix(rest, `\left`) && !strings.HasPrefix(rest, `\leftarrow`):
			depth++
		case rest[0] == '}', strings.HasPrefix(rest, `\right`) && !strings.HasPrefix(rest, `\rightarrow`):
			depth--
		case depth == 0 && i > start && (strings.HasPrefix(rest, " + ") || strings.HasPrefix(rest, " - ")):
			out = append(out, s[start:i])
			start = i
		}
	}
	return append(out, s[start:])
}

func (f *latexFormat) rule(name, doc string) {
	fmt.Fprintf(&f.b, "\n\\paragraph{%s}%s\n", escape(name), formulaic(doc))
}

// formulaic prints what a rule does, as a formula where it is one.
func formulaic(doc string) string {
	if strings.Contains(doc, "=>") {
		return `\texttt{` + escape(doc) + "}"
	}
	return escape(sentence(doc))
}

func (f *latexFormat) step(before, after *expr.Node) {
	f.align([]string{"& " + brokenLaTeX(before), `\Rightarrow\quad & ` + brokenLaTeX(after)})
}

func (f *latexFormat) remark(s string, math ...side) {
	fmt.Fprintf(&f.b, "(%s)\n", f.inline(s, math))
}

func (f *latexFormat) where(parts []equation) {
	if len(parts) > 0 {
		f.b.WriteString("where\n")
		f.align(lines(parts))
	}
}

func (f *latexFormat) items(list [][2]string) {
	f.b.WriteString("\\begin{itemize}\n")
	for _, it := range list {
		fmt.Fprintf(&f.b, "  \\item %s: %s\n", escape(it[0]), escape(it[1]))
	}
	f.b.WriteString("\\end{itemize}\n")
}

func (f *latexFormat) table(rows [][]string) {
	fmt.Fprintf(&f.b, "\\begin{center}\n\\begin{tabular}{l%s}\n", strings.Repeat("r", len(rows[0])-1))
	for i, r := range rows {
		f.b.WriteString("  " + escape(r[0]))
		for _, c := range r[1:] {
			f.b.WriteString(" & " + escape(c))
		}
		f.b.WriteString(" \\\\\n")
		if i == 0 {
			f.b.WriteString("  \\hline\n")
		}
	}
	f.b.WriteString("\\end{tabular}\n\\end{center}\n")
}

func (f *latexFormat) functions(heading string, list []definition) {
	var lines []string
	for _, d := range list {
		if d.latex == "" {
			continue
		}
		line := fmt.Sprintf(`%s &\quad \text{\texttt{%s}: %s}`, d.typeset(), escape(d.call()), escape(d.doc))
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return
	}
	f.heading(heading)
	f.align(lines)
}
