// Command covertypes compares ways to the best normal approximation, and the approximations that contain it, on logistic regressions
// with few and with many rows of the forest cover types:
//
//	go run ./tests/variational/covertypes -file FILE > tests/variational/covertypes/TABLE.md
//
// The file is that of Blackard and Dean (1999), scaled by Chang and Lin (2011), with a header and y, 0 or 1, first. The progress goes
// to the standard error.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/variational/datasets"
)

// notes is the text around the tables, which stand where they have their names in braces.
//
//go:embed notes.md
var notes string

func main() { console.Main(command) }

// experiment is what is measured.
type experiment struct {
	seeds, repeats int
	most           int   // rows that approximations which contain the normal one are fitted to
	steps          []int // of the stochastic runs
	wide           []string
	progress       io.Writer
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	f := flag.NewFlagSet("covertypes", flag.ContinueOnError)
	f.SetOutput(progress)
	file := f.String("file", "", "file of the forest cover types")
	rows := f.String("rows", "30,100,500,4000", "numbers of rows")
	e := &experiment{progress: progress}
	f.IntVar(&e.seeds, "seeds", 3, "number of seeds")
	f.IntVar(&e.repeats, "repeats", 5, "how often a run without chance, or a report, is timed: the least time counts")
	wide := f.String("wide", "logistict,logisticskew,logisticskewt", "problems of the library whose approximation contains the normal one")
	f.IntVar(&e.most, "most", 500, "the most rows that these are fitted to")
	steps := f.String("steps", "300,1000,3000,10000", "lengths of stochastic runs")
	if err := f.Parse(args); err != nil {
		return err
	}
	sizes, err := numbers(*rows)
	if err != nil {
		return err
	}
	if e.steps, err = numbers(*steps); err != nil {
		return err
	}
	if *wide != "" {
		e.wide = strings.Split(*wide, ",")
	}
	var normals, wides strings.Builder
	for _, n := range sizes {
		data, err := datasets.Covertypes(*file, n)
		if err != nil {
			return err
		}
		if err := e.row(ctx, n, data, &normals, &wides); err != nil {
			return fmt.Errorf("%d rows: %w", n, err)
		}
	}
	_, err = io.WriteString(out, strings.NewReplacer("{seeds}", fmt.Sprintf("seeds: %d", e.seeds), "{list}", *rows, "{normal}\n", normals.String(), "{wide}\n", wides.String()).Replace(notes))
	return err
}

// row writes the rows of both tables of one data set.
func (e *experiment) row(ctx context.Context, n int, data runtime.Data, normals, wides *strings.Builder) error {
	text, best, err := e.normal(ctx, n, data)
	if err != nil {
		return err
	}
	normals.WriteString(text)
	for _, problem := range e.wide {
		if n > e.most {
			break
		}
		text, err := e.contains(ctx, problem, n, data, best)
		if err != nil {
			return err
		}
		wides.WriteString(text)
	}
	return nil
}

func numbers(list string) (out []int, err error) {
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is no positive number", word)
		}
		out = append(out, n)
	}
	return out, nil
}
