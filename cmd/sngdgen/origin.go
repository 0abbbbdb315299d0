package main

import (
	"cmp"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// origin says what a fit is of: its problem, and its data.
type origin struct {
	// Spec is the name of a library problem or the file of a spec, as it was given; of a formula where its spec would lie.
	Spec    string `json:"spec"`
	Problem string `json:"problem,omitempty"` // of a file with several
	Text    string `json:"text,omitempty"`    // of the spec that a formula stands for
	// Checksum is that of the spec and of the definitions that it uses, without comments.
	Checksum string `json:"checksum"`
	// Formula is the one that the spec is made of, and Distribution what it is about.
	Formula      string `json:"formula,omitempty"`
	Distribution string `json:"distribution,omitempty"`
	Command      string `json:"command"` // the version of sngdgen

	Data dataOrigin `json:"data"`
}

// dataOrigin says what the rows of a data set are made of.
type dataOrigin struct {
	File    string       `json:"file"` // as it was given; "-" for the standard input
	Digest  string       `json:"digest"`
	Outcome string       `json:"outcome_digest,omitempty"` // of the columns of the variable and the weights alone
	Weights string       `json:"weights,omitempty"`
	Recipe  table.Recipe `json:"recipe"`
	Widths  []int        `json:"widths,omitempty"` // of posteriors: how many columns the parts of the data have
}

// newOrigin describes a fit.
func (c *fitCmd) newOrigin(s *session, arg string, p *spec.Problem, data *table.Table) (o *origin, err error) {
	o = &origin{Spec: arg, Problem: c.Problem, Checksum: p.Checksum(), Command: version()}
	if c.Formula != "" {
		o.Spec, o.Problem, o.Text, o.Formula, o.Distribution = p.Source.Name, "", string(p.Source.Text), c.Formula, c.Spec
	}
	o.Data = dataOrigin{File: cmp.Or(c.Data, "-"), Weights: c.Weights, Recipe: data.Recipe()}
	o.Data.Digest, o.Data.Outcome, err = s.digests(p, data)
	return o, err
}

// posteriorOrigin describes the fit of a posterior.
func (c *fitCmd) posteriorOrigin(p *spec.Problem, data *dataset) *origin {
	o := &origin{Spec: c.Spec, Problem: c.Problem, Checksum: p.Checksum(), Command: version()}
	o.Data.File = cmp.Or(c.Data, strings.Join(c.Files, ","))
	if recipe, ok := data.recipe(); ok {
		o.Data.Recipe, o.Data.Widths, o.Data.Weights = recipe, data.widths, c.Weights
	}
	d := data.Data()
	h := sha256.New()
	digest(h, &table.Table{Values: d.Values, Columns: make([]string, d.Columns), Weights: d.Weights}, d.Columns)
	o.Data.Digest = digestText(h)
	return o
}

// digests are those of all columns, and of the columns of the variable alone, both with the weights.
func (s *session) digests(p *spec.Problem, data *table.Table) (all, outcome string, err error) {
	n := len(data.Columns)
	if all, err = s.digest(data, n); err != nil {
		return "", "", err
	}
	if width := outcomeWidth(p, n); width < n {
		outcome, err = s.digest(data, width)
		return all, outcome, err
	}
	return all, all, nil
}

// outcomeWidth is how many of so many columns are those of the variable, which come first.
func outcomeWidth(p *spec.Problem, columns int) int {
	parts := record.Of(p)
	switch first := parts[0]; {
	case len(parts) == 1:
		return columns
	case !first.Vector:
		return 1
	case first.Length > 0:
		return first.Length
	}
	return columns
}

// digest is the checksum of the first columns and the weights of a table, all rows of it: of processes that have some each, one goes on where the one before
// it has ended.
func (s *session) digest(t *table.Table, columns int) (string, error) {
	h := sha256.New()
	if !t.Shared {
		digest(h, t, columns)
		return digestText(h), nil
	}
	for rank := range s.others.Size() {
		state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
		if err != nil {
			return "", err
		}
		x := make([]float64, len(state))
		if rank == s.others.Rank() {
			digest(h, t, columns)
			if state, err = h.(encoding.BinaryMarshaler).MarshalBinary(); err != nil {
				return "", err
			}
			for i, b := range state {
				x[i] = float64(b)
			}
		}
		if err := s.others.Sum(x); err != nil {
			return "", err
		}
		for i := range state {
			state[i] = byte(x[i])
		}
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
			return "", err
		}
	}
	return digestText(h), nil
}

func digestText(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }

// digest goes on with the first columns and the weights of a table.
func digest(h hash.Hash, t *table.Table, columns int) {
	var number [8]byte
	write := func(x float64) {
		binary.LittleEndian.PutUint64(number[:], math.Float64bits(x+0)) // -0 is 0
		h.Write(number[:])
	}
	width := len(t.Columns)
	for row := range len(t.Values) / max(width, 1) {
		for _, x := range t.Values[row*width : row*width+columns] {
			write(x)
		}
		if t.Weights != nil {
			write(t.Weights[row])
		}
	}
}

// fitted is a fit that was read from a file, with its problem.
type fittedFile struct {
	path   string
	kind   string
	origin *origin
	fit    *estimate.Fitted
	point  *estimate.Point // of a posterior
	p      *spec.Problem
}

// fitFlags say which fit to use.
type fitFlags struct {
	Spec string `placeholder:"FILE" help:"Spec of the fit, if it is no longer where it was."`
	Fit  string `arg:"" help:"A fit, as sngdgen fit --json has printed it."`
}

var errNoFit = errors.New("not a fit that can be used: write one by sngdgen fit --json")

// open reads a fit, finds its problem, and checks that this is still the same.
func (s *session) open(path, moved string) (*fittedFile, error) {
	text, err := readAtMost(path, mostFormer)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read the fit: %w", path, cause(err))
	}
	f := &fittedFile{path: path, fit: new(estimate.Fitted)}
	var head struct {
		printed
		Origin *origin `json:"origin"`
	}
	switch err := json.Unmarshal(text, &head); {
	case err != nil || head.Kind == "":
		return nil, fmt.Errorf("%s: %w", path, errNoFit)
	case head.Version != schemaVersion:
		return nil, fmt.Errorf("%s: a fit of version %d of the schema: this command reads version %d", path, head.Version, schemaVersion)
	case head.Kind == "comparison" || head.Kind == "ladder":
		return nil, fmt.Errorf("%s: a %s of several fits\nhint: fit the one that is wanted by itself", path, head.Kind)
	case head.Origin == nil:
		return nil, fmt.Errorf("%s: the fit does not say what it is of\nhint: fit again: sngdgen of an earlier version has printed it", path)
	}
	f.kind, f.origin = head.Kind, head.Origin
	if f.kind == "posterior" {
		f.point, err = parseFormer(text)
	} else if err = json.Unmarshal(text, f.fit); err != nil {
		err = fmt.Errorf("its parameters cannot be used: %w", err)
	}
	if err == nil && f.kind == "likelihood" {
		err = f.origin.Data.Recipe.Valid()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, f.find(s, moved)
}

// find reads the spec of the fit.
func (f *fittedFile) find(s *session, moved string) (err error) {
	o := f.origin
	arg := cmp.Or(moved, o.Spec)
	if o.Text != "" && moved == "" {
		f.p, err = parseText(s, o.Spec, o.Text)
	} else {
		f.p, err = oneProblem(s, arg, o.Problem)
	}
	if err != nil {
		return err
	}
	if sum := f.p.Checksum(); sum != o.Checksum {
		hint := "fit again, or name the spec as it was with --spec"
		if !isSpecFile(arg) {
			hint = fmt.Sprintf("the library of this version has another %s; the fit is by sngdgen %s: fit again", arg, o.Command)
		}
		return fmt.Errorf("%s: the spec %s has changed since this fit\nhint: %s", f.path, arg, hint)
	}
	if moved != "" && o.Text == "" {
		o.Spec = moved
	}
	return nil
}

// arg is what the runner of the problem knows it by.
func (f *fittedFile) arg() string {
	if f.origin.Text != "" {
		return formulaFile
	}
	return f.origin.Spec
}

// likelihood refuses fits of posteriors.
func (f *fittedFile) likelihood(what string) error {
	if f.kind != "likelihood" {
		return fmt.Errorf("%s: a fit of a %s, but %s is for likelihoods", f.path, f.kind, what)
	}
	return nil
}

// read reads rows for the fit: of all columns, or of the columns that the variable is given alone.
func (f *fittedFile) read(s *session, d *dataFlags, path, rows string, given bool) (*table.Table, error) {
	recipe := f.origin.Data.Recipe
	if given {
		recipe = recipe.Part(outcomeWidth(f.p, len(recipe.Columns)), len(recipe.Columns))
	}
	if len(d.Column) > 0 {
		if len(record.Of(f.p)) > 1 {
			return nil, usageError{errors.New("--column: the fit says of which columns its rows are made")}
		}
		t, err := d.read(s, f.p, path, nil, rows)
		if err == nil && len(t.Columns) != len(recipe.Columns) {
			err = fmt.Errorf("%s: the fit has %s, not %d", t.Name, plural(len(recipe.Columns), "column"), len(t.Columns))
		}
		return t, err
	}
	o, err := d.options(true, rows)
	if err != nil {
		return nil, err
	}
	recipe.Choose(&o)
	t, err := s.readTable(path, o)
	if err != nil {
		return nil, f.other(err)
	}
	s.tellLeftOut(t, nil)
	return recipe.Make(t)
}

// other adds to an error about a column what columns the fit has.
func (f *fittedFile) other(err error) error {
	var fault *table.Error
	if errors.As(err, &fault) && fault.Line == 0 && fault.Hint != "" {
		fault.Hint = fmt.Sprintf("the fit %s has this column; %s", f.path, fault.Hint)
	}
	return err
}
