package studio

import (
	"context"
	"html"
	"strings"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/explain"
	"github.com/sngdgen/sngdgen/internal/mathml"
)

// A derivation for the page. Formulas are MathML, made here and nowhere else; all other texts are plain, and the page puts them in as
// such.

type derivation struct {
	Title    string    `json:"title"`
	Doc      string    `json:"doc"`
	Sections []section `json:"sections"`
}

type section struct {
	Heading string  `json:"heading"`
	Blocks  []block `json:"blocks"`
}

// block has one of its fields set.
type block struct {
	Text  []piece     `json:"text,omitempty"`
	Math  string      `json:"math,omitempty"` // equations
	Where bool        `json:"where,omitempty"`
	Rule  *rule       `json:"rule,omitempty"`
	Table [][]string  `json:"table,omitempty"`
	Items [][2]string `json:"items,omitempty"`
}

type piece struct {
	Words string `json:"words,omitempty"`
	Math  string `json:"math,omitempty"`
}

type rule struct {
	Name  string `json:"name"`
	Doc   string `json:"doc"`
	Steps []step `json:"steps"`
}

type step struct {
	Math    string    `json:"math"` // what was, and what has become of it
	Remarks [][]piece `json:"remarks,omitempty"`
	Where   string    `json:"where,omitempty"`
}

// describe derives a problem.
func describe(ctx context.Context, r *specRequest) (any, error) {
	p, err := r.problem()
	if err != nil {
		return nil, err
	}
	doc, err := gen.Describe(ctx, p)
	if err != nil {
		return nil, err
	}
	out := derivation{Title: doc.Title, Doc: doc.Doc}
	for _, s := range doc.Sections {
		own := section{Heading: s.Heading, Blocks: []block{}}
		for i := range s.Blocks {
			own.Blocks = append(own.Blocks, blockOf(&s.Blocks[i]))
		}
		out.Sections = append(out.Sections, own)
	}
	return out, nil
}

func blockOf(b *explain.Block) block {
	out := block{Where: b.Where, Table: b.Table, Items: b.Items, Text: piecesOf(b.Text)}
	if b.Equations != nil {
		out.Math = equations(b.Equations)
	}
	if b.Rule != nil {
		out.Rule = &rule{Name: b.Rule.Name, Doc: b.Rule.Doc, Steps: []step{}}
		for i := range b.Rule.Steps {
			out.Rule.Steps = append(out.Rule.Steps, stepOf(&b.Rule.Steps[i]))
		}
	}
	return out
}

func stepOf(s *explain.Step) step {
	out := step{Math: aligned(lines("", "", s.Before, "") + lines("", "⇒", s.After, ""))}
	for _, r := range s.Remarks {
		out.Remarks = append(out.Remarks, piecesOf(r))
	}
	if len(s.Where) > 0 {
		out.Where = equations(s.Where)
	}
	return out
}

func piecesOf(list []explain.Piece) (out []piece) {
	for _, p := range list {
		one := piece{Words: p.Words}
		if p.LaTeX != "" {
			one.Math = "<math>" + row(p.LaTeX) + "</math>"
		}
		out = append(out, one)
	}
	return out
}

// row typesets a formula. One that cannot be is shown as it is written: a test holds that the library has none.
func row(latex string) string {
	out, err := mathml.Row(latex)
	if err != nil {
		return `<mtext class="code">` + html.EscapeString(latex) + "</mtext>"
	}
	return out
}

// equations are aligned at their relations.
func equations(list []explain.Equation) string {
	var b strings.Builder
	for _, e := range list {
		relation := "="
		if e.Left == "" || len(e.Right) == 0 {
			relation = ""
		}
		b.WriteString(lines(e.Left, relation, e.Right, e.Note))
	}
	return aligned(b.String())
}

// aligned is a block of rows as lines makes them.
func aligned(rows string) string {
	return `<math display="block"><mtable displaystyle="true">` + rows + "</mtable></math>"
}

// lines are the rows of an equation: what is left of the relation, the relation, and what is right of it, line by line.
func lines(left, relation string, right []string, note string) string {
	if len(right) == 0 {
		right = []string{""}
	}
	var b strings.Builder
	for i, line := range right {
		b.WriteString(`<mtr><mtd class="left">`)
		if i == 0 && left != "" {
			b.WriteString(row(left))
		}
		b.WriteString(`</mtd><mtd class="relation">`)
		if i == 0 && relation != "" {
			b.WriteString("<mo>" + relation + "</mo>")
		}
		b.WriteString(`</mtd><mtd class="right">`)
		if i > 0 {
			b.WriteString(`<mspace width="1em"></mspace>`)
		}
		if line != "" {
			b.WriteString(row(line))
		}
		if note != "" && i == len(right)-1 {
			b.WriteString(`<mspace width="1em"></mspace><mtext class="note">` + html.EscapeString(note) + "</mtext>")
		}
		b.WriteString("</mtd></mtr>")
	}
	return b.String()
}
