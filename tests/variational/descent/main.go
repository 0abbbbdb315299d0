// Command descent measures what the settings of runtime.Descend on posteriors are chosen by: how the draws depend on each other, how
// far towards the boundary of the domain a step may go, and what the checks cost by which a run ends. It prints tables:
//
//	go run ./tests/variational/descent -covertype FILE > tests/variational/descent/TABLE.md
//
// The file has the forest cover types as a header and rows of y and 54 columns; without it their part is left out. -task chooses
// some of draws, boundary, checks and known. The whole takes an hour; the progress goes to the standard error.
package main

import (
	"context"
	_ "embed"
	"flag"
	"io"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
)

// notes is the text around the tables, which stand where it has their name in braces.
//
//go:embed notes.md
var notes string

func main() { console.Main(command) }

// experiment is what the flags say.
type experiment struct {
	covertype, rivals, specs string
	only                     string // cases
	seeds, replicates        int
	progress                 io.Writer
}

// tasks are the tables by name.
var tasks = []struct {
	name string
	run  func(*experiment, context.Context) (string, error)
}{
	{"draws", (*experiment).draws},
	{"boundary", (*experiment).boundary},
	{"checks", (*experiment).checks},
	{"known", (*experiment).known},
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	e := &experiment{progress: progress}
	f := flag.NewFlagSet("descent", flag.ContinueOnError)
	f.SetOutput(progress)
	f.StringVar(&e.covertype, "covertype", "", "file with the forest cover types")
	f.StringVar(&e.rivals, "testdata", "tests/rivals/posteriors/testdata", "folder with data of the rivals")
	f.StringVar(&e.specs, "specs", "tests/rivals/posteriors/specs", "folder with specs of the rivals")
	f.StringVar(&e.only, "only", "", "cases, separated by commas; all when empty")
	f.IntVar(&e.seeds, "seeds", 3, "number of seeds of a run")
	f.IntVar(&e.replicates, "replicates", 100, "number of gradients by which a variance is estimated")
	task := f.String("task", "draws,boundary,checks,known", "what to measure, separated by commas")
	if err := f.Parse(args); err != nil {
		return err
	}
	text := notes
	for _, t := range tasks {
		table := "Not measured.\n"
		if names(*task, t.name) {
			var err error
			if table, err = t.run(e, ctx); err != nil {
				return err
			}
		}
		text = strings.Replace(text, "{"+t.name+"}\n", table, 1)
	}
	_, err := io.WriteString(out, text)
	return err
}

// names reports whether a list of words has one.
func names(list, word string) bool { return strings.Contains(","+list+",", ","+word+",") }
