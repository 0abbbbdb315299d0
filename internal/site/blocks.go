package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/sngdgen/sngdgen/internal/mathml"
)

// copyPictures puts the pictures of a document beside its page, with the folders that they are in as parts of their names.
func copyPictures(root, folder string, s source, doc ast.Node) error {
	return ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		picture, ok := n.(*ast.Image)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		file := string(picture.Destination)
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path.Join(path.Dir(s.Path), file))))
		if err != nil {
			return ast.WalkStop, err
		}
		name := strings.ReplaceAll(file, "/", "-")
		picture.Destination = []byte(name)
		return ast.WalkContinue, os.WriteFile(filepath.Join(folder, name), data, 0o666)
	})
}

// typeset makes MathML of blocks of mathematics.
func typeset(doc ast.Node, markdown []byte) error {
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || string(block.Language(markdown)) != "math" {
			continue
		}
		var latex strings.Builder
		for i := range block.Lines().Len() {
			line := block.Lines().At(i)
			latex.Write(line.Value(markdown))
		}
		markup, err := aligned(latex.String())
		if err != nil {
			return err
		}
		formula := ast.NewString([]byte(markup))
		formula.SetCode(true) // written as it is
		p := ast.NewParagraph()
		p.AppendChild(p, formula)
		doc.ReplaceChild(doc, n, p)
		n = p
	}
	return nil
}

// aligned typesets lines that are aligned at their first &.
func aligned(latex string) (string, error) {
	body, begun := strings.CutPrefix(strings.TrimSpace(latex), `\begin{aligned}`)
	body, ended := strings.CutSuffix(body, `\end{aligned}`)
	if !begun || !ended {
		return "", fmt.Errorf("mathematics that is not aligned: %s", latex)
	}
	var b strings.Builder
	b.WriteString(`<math display="block"><mtable displaystyle="true" columnalign="right left">`)
	for _, line := range strings.Split(body, `\\`) {
		left, right, _ := strings.Cut(line, "&")
		right, further := strings.CutPrefix(strings.TrimSpace(right), `\quad`)
		l, err := mathml.Row(strings.TrimSpace(left))
		if err != nil {
			return "", err
		}
		r, err := mathml.Row(strings.TrimSpace(right))
		if err != nil {
			return "", err
		}
		if further {
			r = `<mspace width="1em"/>` + r
		}
		b.WriteString(`<mtr><mtd style="text-align: right">` + l + `</mtd><mtd style="text-align: left">` + r + `</mtd></mtr>`)
	}
	b.WriteString("</mtable></math>")
	return b.String(), nil
}
