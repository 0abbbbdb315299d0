package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/internal/page"
	"github.com/sngdgen/sngdgen/internal/picture"
)

// figure is a figure or a table of the paper.
type figure struct {
	name, title string
	claim       string   // of the paper, in a sentence
	panels      int      // how many pictures there are
	series      []string // that each of the pictures with a legend must have, where there are data
	make        func(ctx context.Context, l *lab) (*found, error)
}

// found is what was seen.
type found struct {
	missing string // why there are no data, or others
	verdict verdict
	on      string // what the verdict is about, where that is not what the paper has
	seen    []string
	panels  []picture.Panel
	tables  []page.Table
	notes   []string
}

// verdict says whether what was seen agrees with the paper.
type verdict int

const (
	nothing verdict = iota // there are no data, or no claim
	agrees
	partly
	differs
)

var verdicts = map[verdict]string{agrees: "as the paper says", partly: "partly as the paper says", differs: "not as the paper says"}

// wins is the verdict of a claim of leadership, of so many comparisons won.
func wins(won, of int) verdict {
	switch {
	case of == 0:
		return nothing
	case won == of:
		return agrees
	case won == 0:
		return differs
	}
	return partly
}

// figures are all of the paper, in its order.
var figures = slices.Concat(mainTables, sheepFigures[:1], batchFigures[:1], posteriorFigures, batchFigures[1:], copulaFigure,
	admissionsFigure, toyFigure, mixtureCurves, appendixTables[:1],
	posteriorFrontiers, batchFrontiers, copulaFrontier, mixtureFrontier, gradientFigures[:1], sheepFigures[1:],
	gradientFigures[1:], appendixTables[1:])

func known(name string) bool {
	return slices.ContainsFunc(figures, func(f figure) bool { return f.name == name })
}

// article makes the page of the figures that are asked for.
func article(ctx context.Context, o *options, all []figure, progress io.Writer) (*page.Article, error) {
	l := newLab(o, progress)
	a := &page.Article{Title: "So and Turner (2024), figure by figure"}
	began := time.Now()
	for _, f := range all {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), f.name) {
			continue
		}
		l.figure = f.name
		l.report("begins")
		got, err := f.make(ctx, l)
		if err == nil {
			err = f.check(got)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		a.Sections = append(a.Sections, page.Section{Name: f.name, Title: f.title, Claim: f.claim, Missing: got.missing,
			Verdict: got.words(), Sound: got.verdict == agrees, Seen: got.seen, Panels: got.panels,
			Tables: got.tables, Notes: got.notes})
	}
	a.Lead = lead(l)
	a.Version = fmt.Sprintf("%s, %s/%s, %d runs at a time, %.0f s in all.", runtime.Version(), runtime.GOOS, runtime.GOARCH, o.workers,
		time.Since(began).Seconds())
	return a, nil
}

// words are the verdict with what it is about.
func (f *found) words() string {
	if f.verdict == nothing || f.on == "" {
		return verdicts[f.verdict]
	}
	return verdicts[f.verdict] + ", " + f.on
}

// lead says what all figures have in common.
func lead(l *lab) []string {
	return []string{
		"All figures and tables of J. So and R. E. Turner, Optimising distributions with natural gradient surrogates, AISTATS " +
			"2024, made anew. " +
			"What is said under each figure is computed from the runs of this page.",
		fmt.Sprintf("Curves are means over %d seeds, where a figure does not say otherwise, with bands of two standard errors. Seconds are those of a processor, "+
			"without evaluations; "+
			"machines and implementations differ from the paper's, so that only orders and ratios compare. Where a step size or "+
			"a rate is needed, curves are of the best setting "+
			"by the paper's criterion, the least average over the iterations of the worst loss of all seeds, and frontiers show "+
			"the best of all settings at each place. "+
			"The grids of settings are this page's own, as the paper does not list its.", l.seeds()),
		"Dashed curves are of methods that the paper does not have: L-BFGS by natural gradients over all rows, and sample " +
			"averages for posteriors, natural L-BFGS with " +
			"draws that are fixed for the run.",
	}
}

// check reports what a figure lacks.
func (f *figure) check(got *found) error {
	if len(got.panels) == 0 && got.missing != "" {
		return nil
	}
	if len(got.panels) != f.panels && got.missing == "" {
		return fmt.Errorf("%d pictures instead of %d", len(got.panels), f.panels)
	}
	var lacks []error
	for i := range got.panels {
		p := &got.panels[i]
		names := legend(p)
		if len(names) == 0 || !strings.HasPrefix(p.Name, curvePanel) {
			continue
		}
		for _, s := range f.series {
			if !slices.Contains(names, s) {
				lacks = append(lacks, fmt.Errorf("%s has no series %q", p.Name, s))
			}
		}
	}
	return errors.Join(lacks...)
}

// curvePanel begins the names of panels that must have all series of a figure.
const curvePanel = "curves-"

// legend lists the names of the layers of a panel that have points.
func legend(p *picture.Panel) (out []string) {
	for _, l := range p.Layers {
		if l.Name != "" && len(l.X)+len(l.From) > 0 {
			out = append(out, l.Name)
		}
	}
	return out
}
