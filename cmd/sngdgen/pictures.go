package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sngdgen/sngdgen/internal/figure"
	"github.com/sngdgen/sngdgen/internal/page"
	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// pictureFlags ask for pictures and for what they are drawn of.
type pictureFlags struct {
	Plot    string   `output:"pictures" group:"pictures" placeholder:"PATH" help:"Draw pictures of the fit: into one file if the name ends in .svg, .png or .pdf, otherwise into a folder, an SVG file each."`
	Profile []string `sep:"," group:"pictures" placeholder:"NAME" help:"Draw the profile likelihood of a parameter too, as r, or of an entry, as mu[2]; may be repeated."`
	Report  string   `output:"page" group:"pictures" placeholder:"FILE" help:"Write a page in HTML with tables, pictures, warnings, the derivation and this command."`
	Trace   string   `output:"trace" group:"pictures" placeholder:"FILE" help:"Write every iteration of every start to a file: CSV, or a JSON object a line if the name ends in .jsonl."`
}

// pictureFormat returns the format that a path asks for, "" for a folder.
func pictureFormat(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() || strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) {
		return "", nil
	}
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if ext == "" || slices.Contains(picture.Formats, ext) {
		return ext, nil
	}
	return "", usageError{fmt.Errorf("no pictures are written as .%s\nhint: the name of a file ends in .%s; "+
		"that of a folder, into which each picture goes by itself, in no such thing, or in a slash", ext, strings.Join(picture.Formats, ", ."))}
}

// checkPictures finds that pictures cannot be written to a path.
func checkPictures(path string) error {
	format, err := pictureFormat(path)
	switch {
	case err != nil:
		return err
	case format == "":
		return checkOutputFolder(path)
	}
	return checkOutputFile(path)
}

// checkTrace finds that no trace can be written to a path.
func checkTrace(path string) error {
	if ext := filepath.Ext(path); ext != ".csv" && ext != ".jsonl" {
		return usageError{fmt.Errorf("a trace is written as CSV or as JSON objects\nhint: the name of the file ends in .csv or .jsonl")}
	}
	return checkOutputFile(path)
}

// newSubject says what is fitted.
func newSubject(p *spec.Problem, data *table.Table) *figure.Subject {
	v := record.Variable(p)
	of := v.Type.Type()
	s := &figure.Subject{Problem: p.Package, Entries: of.Entry, Form: of.Form, Data: data.Data(), Given: len(givenColumns(p)) > 0,
		Number: of.Form == types.Number && len(observed(p)) == 1, Sequence: p.TargetDist != nil && len(p.TargetDist.States) > 0}
	if parts := observed(p); len(parts) > 1 && !s.Given {
		s.Entries, s.Form, s.Each = nil, types.Vector, record.Entries(parts, len(data.Columns))
	}
	switch {
	case data.Header:
		s.Columns = data.Columns
	case len(data.Columns) == 1:
		s.Columns = []string{v.Name}
	default:
		for c := range data.Columns {
			s.Columns = append(s.Columns, fmt.Sprintf("%s%d", v.Name, c+1))
		}
	}
	return s
}

// wanted is what pictures and traces need to know of a fit of a likelihood.
func (f *pictureFlags) wanted(s *figure.Subject) (estimate.DetailRequest, error) {
	switch {
	case f.drawn():
		return s.Request(f.Profile), nil
	case len(f.Profile) > 0:
		return estimate.DetailRequest{}, usageError{fmt.Errorf("--profile is a picture: --plot or --report says where it is drawn")}
	}
	return estimate.DetailRequest{Trace: f.Trace != ""}, nil
}

// drawn reports whether pictures are asked for.
func (f *pictureFlags) drawn() bool { return f.Plot != "" || f.Report != "" }

// show writes the trace, the pictures and the page of a fit of a likelihood.
func (f *pictureFlags) show(s *session, p *spec.Problem, of *figure.Subject, r *estimate.Report) error {
	d := r.Details
	if d == nil {
		return nil
	}
	for _, note := range d.Notes {
		fmt.Fprintln(s.err, "warning:", note)
	}
	if err := f.writeTrace(s, d.Runs, d.Cut); err != nil || !f.drawn() {
		return err
	}
	of.Timed = f.Trace != ""
	return f.present(s, p, likelihoodPage(of, r))
}

// showPosterior writes the trace, the pictures and the page of an approximation of a posterior.
func (f *pictureFlags) showPosterior(s *session, p *spec.Problem, a *estimate.Approximation) error {
	if f.Trace != "" && len(a.Runs) == 0 {
		return fmt.Errorf("--trace=%s: %s has no course of a bound that could be written", f.Trace, methodNames[a.Method])
	}
	if err := f.writeTrace(s, a.Runs, a.Cut); err != nil || !f.drawn() {
		return err
	}
	return f.present(s, p, posteriorPage(a))
}

// present writes the pictures of a page, and the page, as far as they are asked for.
func (f *pictureFlags) present(s *session, p *spec.Problem, pg *page.Page) error {
	if f.Plot != "" {
		if err := f.draw(s, pg.Panels); err != nil {
			return err
		}
	}
	return f.writePage(s, p, pg)
}

// draw writes pictures: one file, or one each in a folder.
func (f *pictureFlags) draw(s *session, panels []picture.Panel) error {
	if len(panels) == 0 {
		fmt.Fprintf(s.err, "warning: --plot=%s: there is nothing to draw\n", f.Plot)
		return nil
	}
	format, err := pictureFormat(f.Plot)
	if err != nil {
		return err
	}
	if format != "" {
		return s.drawFile(f.Plot, &picture.Figure{Panels: panels}, format)
	}
	if err := os.MkdirAll(f.Plot, 0o777); err != nil {
		return fmt.Errorf("--plot=%s: %w", f.Plot, cause(err))
	}
	for i := range panels {
		path := filepath.Join(f.Plot, panels[i].Name+".svg")
		if err := s.drawFile(path, &picture.Figure{Panels: panels[i : i+1]}, "svg"); err != nil {
			return err
		}
	}
	return nil
}

// drawFile draws a figure and writes it whole.
func (s *session) drawFile(path string, f *picture.Figure, format string) error {
	var b bytes.Buffer
	if err := picture.Write(&b, f, format); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := s.Err(); err != nil {
		return err
	}
	err := s.writeWhole(path, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	return nil
}

// entryName is the name of an entry of a vector: by its number, or by its label.
var entryName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\w+)\[(.*)\]$`) })

// byNumber are names of numbers among the parameters with numbers in the place of the labels that reports have: mu[2] for mu[age].
func byNumber(names []string, labels map[string][]string) (out []string) {
	for _, name := range names {
		if m := entryName().FindStringSubmatch(name); m != nil {
			if i := slices.Index(labels[m[1]], m[2]); i >= 0 {
				name = fmt.Sprintf("%s[%d]", m[1], i+1)
			}
		}
		out = append(out, name)
	}
	return out
}

// labelled is the way back.
func labelled(name string, labels map[string][]string) string {
	m := entryName().FindStringSubmatch(name)
	if m == nil {
		return name
	}
	if i, err := strconv.Atoi(m[2]); err == nil && i >= 1 && i <= len(labels[m[1]]) {
		return fmt.Sprintf("%s[%s]", m[1], labels[m[1]][i-1])
	}
	return name
}
