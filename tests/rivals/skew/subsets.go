package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/tests/rivals"
)

// Rows of a subset: of longer data sets the first.
const (
	fewestRows = 31
	mostRows   = 1500
)

// mostColumns is how many columns of a data set count: 8 of every third one, 5 of the others, since the searches take long
// where there are many.
func mostColumns(i int) int {
	if i%3 == 0 {
		return 8
	}
	return 5
}

// test is a subset of the rows and columns of a data set.
type test struct {
	name string
	data *rivals.Data
}

// tests makes the subsets: of every data set all columns that count; of every other the first column; and two to four
// neighbours that start elsewhere from set to set.
func (o *options) tests() ([]*test, error) {
	sets, err := rivals.Sets()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.bench.Path("subsets"), 0o755); err != nil {
		return nil, err
	}
	var tests []*test
	add := func(s rivals.Set, name string, columns []string) error {
		if len(o.cases) > 0 && !slices.Contains(o.cases, name) {
			return nil
		}
		t, err := o.subset(s, name, columns)
		if t != nil {
			tests = append(tests, t)
		}
		return err
	}
	for i, s := range sets {
		columns := s.Columns[:min(len(s.Columns), mostColumns(i))]
		if err := add(s, s.Name, columns); err != nil {
			return nil, err
		}
		if i%2 == 0 && len(columns) > 1 {
			if err := add(s, s.Name+":1", columns[:1]); err != nil {
				return nil, err
			}
		}
		if size := 2 + i%3; size < len(columns) {
			from := i % (len(columns) - size + 1)
			if err := add(s, fmt.Sprintf("%s:%d-%d", s.Name, from+1, from+size), columns[from:from+size]); err != nil {
				return nil, err
			}
		}
	}
	return tests, nil
}

// subset writes a subset to a file of its own; it is nil where there are too few rows, or no data.
func (o *options) subset(s rivals.Set, name string, columns []string) (*test, error) {
	whole, err := rivals.Read(o.bench.File(s.Name), columns)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(o.bench.Progress, "%s: left out, the data set was not exported\n", name)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows := whole.Rows[:min(len(whole.Rows), mostRows)]
	if len(rows) < fewestRows {
		return nil, nil
	}
	var b strings.Builder
	b.WriteString(strings.Join(columns, ",") + "\n")
	for _, row := range rows {
		for j, x := range row {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.FormatFloat(x, 'g', -1, 64))
		}
		b.WriteByte('\n')
	}
	file := o.bench.Path("subsets", strings.ReplaceAll(name, ":", "_")+".csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		return nil, err
	}
	data, err := rivals.Read(file, columns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return &test{name, data}, nil
}
