// Command bounds fits ladders of approximations to posteriors of data that others collected, and holds the bound of each rung against
// that of the one that it contains, by draws that neither fit has seen:
//
//	go run ./tests/ladder/bounds > tests/ladder/bounds/TABLE.md
//
// The progress goes to the standard error. It takes a quarter of an hour of processor time. A run that is interrupted writes what it
// knows.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
)

// notes is the text around the table, which stands where it has its name in braces.
//
//go:embed notes.md
var notes string

func main() { console.Main(command) }

// experiment is what the flags say, and what is counted.
type experiment struct {
	folder   string
	seed     uint64
	draws    int
	progress io.Writer

	rungs, kept, below, aloneBelow int // of those that contain another one
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	e := &experiment{progress: progress}
	f := flag.NewFlagSet("bounds", flag.ContinueOnError)
	f.SetOutput(progress)
	f.StringVar(&e.folder, "data", "docs/data", "folder with the data")
	only := f.String("only", "", "posteriors by their names in the table, separated by commas; all when empty")
	f.Uint64Var(&e.seed, "seed", 1, "seed of the fits")
	f.IntVar(&e.draws, "draws", 100_000, "draws by which a bound is measured")
	if err := f.Parse(args); err != nil {
		return err
	}
	var table strings.Builder
	incomplete := ""
	for _, p := range posteriors {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), p.name) {
			continue
		}
		rows, err := e.measure(ctx, &p)
		if ctx.Err() != nil {
			incomplete = "Incomplete: stopped at " + p.name + ".\n\n"
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		table.WriteString(rows)
		fmt.Fprint(progress, rows)
	}
	counts := fmt.Sprintf("%d rungs contain another one; of these %d end below it by more than three standard errors in the ladder, where %d keep it, and %d alone.",
		e.rungs, e.below, e.kept, e.aloneBelow)
	text := strings.NewReplacer("{incomplete}\n", incomplete, "{table}\n", table.String(), "{counts}", counts, "{draws}", fmt.Sprint(e.draws),
		"{seed}", fmt.Sprint(e.seed)).Replace(notes)
	_, err := io.WriteString(out, text)
	return err
}
