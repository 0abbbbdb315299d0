// Command posteriors fits posteriors with sngdgen and compares their moments with those of NumPyro's NUTS, or known ones, and
// their bounds with those of NumPyro's SVI:
//
//	go run ./tests/rivals/posteriors > tests/rivals/posteriors/TABLE.md
//
// The models are in specs, their data in testdata (drawn by data.py), the answers of NumPyro in oracle.json, by -oracle made
// anew. -model chooses some of the models, -method some of the ways to fit, which methods.json lists with their flags. With
// -verdicts it prints what fits say of their ends with several seeds instead, into VERDICTS.md. The progress goes to the standard error.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

func main() { console.Main(command) }

// method is a way to fit.
type method struct {
	Name  string   `json:"name"`
	Flags []string `json:"flags"` // of sngdgen fit
}

// options are the flags.
type options struct {
	bench   rivals.Bench
	folder  string
	methods []method
	seeds   int
	draws   int
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o := &options{bench: rivals.Bench{Progress: progress}}
	f := flag.NewFlagSet("posteriors", flag.ContinueOnError)
	f.SetOutput(progress)
	o.bench.Flags(f)
	f.StringVar(&o.folder, "folder", "tests/rivals/posteriors", "folder of this program, which has specs, data and answers")
	f.IntVar(&o.seeds, "seeds", 3, "number of seeds of every fit")
	f.IntVar(&o.draws, "draws", 20_000, "draws by which bounds are evaluated, and k-hat")
	models := f.String("model", "", "models, with commas between; all when empty")
	names := f.String("method", "", "ways to fit, with commas between; all when empty")
	ask := f.Bool("oracle", false, "ask NumPyro anew, and write its answers to oracle.json")
	claims := f.Bool("verdicts", false, "a table of what fits say of their ends with several seeds, in the place of the others")
	ways := f.String("ways", waysToEnd, "methods of which -verdicts asks, with commas between")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *ask {
		return o.ask(ctx, split(*models))
	}
	known, err := answersIn(o.folder)
	if err != nil {
		return err
	}
	chosen, err := choose(known.Answers, split(*models), func(a *answer) string { return a.Model })
	if err != nil {
		return err
	}
	all, err := methodsIn(o.folder)
	if err != nil {
		return err
	}
	if o.methods, err = choose(all, split(*names), func(m method) string { return m.Name }); err != nil {
		return err
	}
	if err := o.bench.Build(ctx); err != nil {
		return err
	}
	if *claims {
		return o.verdicts(ctx, out, chosen, split(*ways))
	}
	outcomes, err := o.fitAll(ctx, chosen)
	if err != nil {
		return err
	}
	return write(out, o, known, outcomes)
}

func split(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}

// choose returns what has the names, all without any.
func choose[T any](all []T, names []string, name func(T) string) ([]T, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []T
	for _, n := range names {
		i := slices.IndexFunc(all, func(x T) bool { return name(x) == n })
		if i < 0 {
			return nil, fmt.Errorf("there is no %s", n)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func methodsIn(folder string) ([]method, error) {
	text, err := os.ReadFile(filepath.Join(folder, "methods.json"))
	if err != nil {
		return nil, err
	}
	var all []method
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("methods.json: %w", err)
	}
	return all, nil
}

// ask runs oracle.py.
func (o *options) ask(ctx context.Context, models []string) error {
	if err := os.MkdirAll(o.bench.Cache, 0o755); err != nil {
		return err
	}
	script, err := os.ReadFile(filepath.Join(o.folder, "oracle.py"))
	if err != nil {
		return err
	}
	return o.bench.Py(ctx, "posteriors.py", script,
		append([]string{filepath.Join(o.folder, "testdata"), filepath.Join(o.folder, "oracle.json")}, models...)...)
}
