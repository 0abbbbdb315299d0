package estimate

import (
	"errors"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// Processes that have a part of the rows each (runtime.Distributed) make the same calls in the same order, as each waits for the others where
// something is summed up. So one run follows the other, nothing depends on clocks, and what is said of single rows is said of a sample, which
// all of them have: a batch of the model.

// mostLooked is how many rows of several processes are looked at one by one.
const mostLooked = 20_000

// othersOf are the processes that have a part of the rows of a model each, nil where it has all of them.
func othersOf(m runtime.Model) runtime.Reducer {
	if d, ok := m.(runtime.Distributed); ok {
		return d.Others()
	}
	return nil
}

// divided reports whether a model has only some of the rows that it is about.
func divided(m runtime.Model) bool {
	o, ok := m.(runtime.Observed)
	if !ok || othersOf(m) == nil {
		return false
	}
	_, distinct, _ := m.Counts()
	d := o.Observations()
	return distinct != d.Rows()
}

// looked is a model whose rows can be looked at one by one: itself, or one of a sample, or of all rows where there are few.
func looked(m runtime.Model, seed uint64) runtime.Model {
	if !divided(m) {
		return m
	}
	c := m.Clone()
	rows, _, _ := c.Counts()
	c.(runtime.Batcher).Batch(few(runtime.Stream(seed, "looked at"), rows, min(rows, mostLooked))) // they are rows of the data
	return c
}

// errAllRows is about what is looked for in rows one by one.
var errAllRows = errors.New("needs all rows in one process")

// checkOthers refuses what needs all rows in one process.
func (r *Settings) checkOthers(m runtime.Model) error {
	switch {
	case othersOf(m) == nil:
		return nil
	case len(r.Details.Rows) > 0 || len(r.Details.Conditional.Rows) > 0 || len(r.Details.Profile) > 0:
		return errors.New("what is computed for single rows, and profile likelihoods, " + errAllRows.Error())
	}
	return nil
}

// together runs what all processes do, and returns its error, or why they could not sum up.
func together(m runtime.Model, run func() error) error {
	others := othersOf(m)
	if others == nil {
		return run()
	}
	err := run()
	if failed := others.Sum(make([]float64, 1)); failed != nil {
		return errors.Join(errors.New("the processes that have the rows did not come to the end together"), failed)
	}
	return err
}

// agreed is an error where one of the processes has one.
func agreed(m runtime.Model, err error) error { return support.Agreed(othersOf(m), err) }
