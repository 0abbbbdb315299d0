package explain

import (
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
)

// Document is a derivation as data, for those who lay it out by themselves. Formulas are LaTeX without dollar signs.
type Document struct {
	Title, Doc string
	Sections   []Section
}

// Section is a part of a derivation.
type Section struct {
	Heading string
	Blocks  []Block
}

// Block is a piece of a section; one of its fields is set.
type Block struct {
	Text      []Piece
	Equations []Equation
	Where     bool // said of equations that explain names in what stands before them
	Rule      *Rule
	Table     [][]string // with a row of headings; the first column has names, the others numbers
	Items     [][2]string
}

// Piece is a text or a formula in it.
type Piece struct{ Words, LaTeX string }

// Equation is a line of a list of formulas. Left and Right may be empty, and Right has several lines where it is long.
type Equation struct {
	Left  string
	Right []string
	Note  string
}

// Rule is a rule with what it has done.
type Rule struct {
	Name, Doc string
	Steps     []Step
}

// Step is a formula before a rule and after it, each of one or several lines.
type Step struct {
	Before, After []string
	Remarks       [][]Piece
	Where         []Equation
}

// Describe returns the derivation of a problem.
func Describe(d *derive.Result) *Document {
	f := new(documentFormat)
	explainTo(f, d)
	return &f.doc
}

// documentFormat collects the parts of a document.
type documentFormat struct {
	doc  Document
	open *Rule // the last one, as long as nothing but steps follows
}

// String is of no use: a document is data.
func (f *documentFormat) String() string { return "" }

func (f *documentFormat) title(name, doc string) { f.doc.Title, f.doc.Doc = name, sentence(doc) }

func (f *documentFormat) heading(s string) {
	f.doc.Sections = append(f.doc.Sections, Section{Heading: s})
	f.open = nil
}

// add appends a block to the last section.
func (f *documentFormat) add(b Block) {
	last := &f.doc.Sections[len(f.doc.Sections)-1]
	last.Blocks = append(last.Blocks, b)
	f.open = b.Rule
}

func (f *documentFormat) text(s string, math ...side) {
	if s != "" {
		f.add(Block{Text: pieces(s, math)})
	}
}

// pieces are a text with formulas in it.
func pieces(s string, math []side) (out []Piece) {
	for i, words := range strings.SplitN(s, "@", len(math)+1) {
		if i > 0 {
			out = append(out, Piece{LaTeX: math[i-1].latex})
		}
		if words != "" {
			out = append(out, Piece{Words: words})
		}
	}
	return out
}

func (f *documentFormat) equations(list []equation) {
	if len(list) > 0 {
		f.add(Block{Equations: documented(list)})
	}
}

func documented(list []equation) (out []Equation) {
	for _, q := range list {
		e := Equation{Left: q.side.latex, Note: q.note}
		if q.node != nil {
			e.Right = linesOf(q.node)
		}
		out = append(out, e)
	}
	return out
}

// linesOf breaks a long sum between its terms, as LaTeX is broken.
func linesOf(n *expr.Node) []string { return latexLines(n.LaTeX()) }

func (f *documentFormat) rule(name, doc string) { f.add(Block{Rule: &Rule{Name: name, Doc: doc}}) }

func (f *documentFormat) step(before, after *expr.Node) {
	f.open.Steps = append(f.open.Steps, Step{Before: linesOf(before), After: linesOf(after)})
}

// last is the step that remarks are about.
func (f *documentFormat) last() *Step { return &f.open.Steps[len(f.open.Steps)-1] }

func (f *documentFormat) remark(s string, math ...side) {
	f.last().Remarks = append(f.last().Remarks, pieces(s, math))
}

func (f *documentFormat) where(parts []equation) {
	switch {
	case len(parts) == 0:
	case f.open != nil:
		f.last().Where = documented(parts)
	default:
		f.add(Block{Equations: documented(parts), Where: true})
	}
}

func (f *documentFormat) table(rows [][]string) { f.add(Block{Table: rows}) }

func (f *documentFormat) items(list [][2]string) { f.add(Block{Items: list}) }

func (f *documentFormat) functions(heading string, list []definition) {
	var lines []Equation
	for _, d := range list {
		if d.latex != "" {
			lines = append(lines, Equation{Left: d.typeset(), Note: d.call() + ": " + d.doc})
		}
	}
	if len(lines) > 0 {
		f.heading(heading)
		f.add(Block{Equations: lines})
	}
}
