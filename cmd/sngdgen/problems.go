package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/regression"
	"github.com/sngdgen/sngdgen/spec"
)

// isSpecFile tells a SPEC from a NAME: by its look, so that no file that happens to lie around changes a meaning.
func isSpecFile(arg string) bool {
	ext := filepath.Ext(arg)
	return ext == ".yaml" || ext == ".yml" || strings.ContainsRune(arg, '/') || strings.ContainsRune(arg, filepath.Separator)
}

// loadProblems returns the problems of a spec file, or the one problem of the library with a name.
func loadProblems(arg string, diags *diag.List) []*spec.Problem {
	if !isSpecFile(arg) {
		if p := spec.Library().Problem(arg); p != nil {
			return []*spec.Problem{p}
		}
		unknownProblem(arg, diags)
		return nil
	}
	f, found := spec.LoadFile(arg)
	diags.Append(found)
	if found.HasErrors() {
		return nil
	}
	problems := f.Problems
	for _, r := range f.Regressions {
		if p := writtenOut(arg, r, diags); p != nil {
			problems = append(problems, p)
		}
	}
	return problems
}

func unknownProblem(name string, diags *diag.List) {
	names := spec.Library().Problems()
	if hint := aboutDistribution(name); hint != "" {
		diags.Errorf(diag.Span{}, "%s is a distribution of the library, and no problem", name).WithHint("%s", hint)
		return
	}
	d := diags.Errorf(diag.Span{}, "no problem %q in the library", name)
	hint := "the library has " + strings.Join(names, ", ") + "; a file is given as a path ending in .yaml"
	if meant := diag.Suggest(name, names); meant != "" {
		hint = fmt.Sprintf("did you mean %q? %s", meant, hint)
	}
	d.WithHint("%s", hint)
}

// aboutDistribution says how a distribution of the library is fitted, "" where it has none of the name: by problems about it, or by a formula.
func aboutDistribution(name string) string {
	lib := spec.Library()
	if lib.Distribution(name) == nil && lib.Family(name) == nil {
		return ""
	}
	var ways, problems []string
	for _, p := range lib.Problems() {
		if lib.Problem(p).VI == nil && targetName(lib.Problem(p)) == name {
			problems = append(problems, p)
		}
	}
	if len(problems) > 0 {
		ways = append(ways, "problems about it are "+strings.Join(problems, ", "))
	}
	if regression.Of(lib.Distribution(name), lib.Family(name)).Check() == nil {
		ways = append(ways, fmt.Sprintf("fit %s DATA --formula 'y ~ 1' fits it to a column y", name))
	}
	return strings.Join(append(ways, "a spec of your own may have it as its target"), "; ")
}

// oneProblem returns the problem that an argument means; when its file has several, the one of the given name.
func oneProblem(s *session, arg, name string) (*spec.Problem, error) {
	var diags diag.List
	problems := loadProblems(arg, &diags)
	if err := s.diagnose(diags); err != nil {
		return nil, err
	}
	var names []string
	for _, p := range problems {
		if p.Package == name || name == "" && len(problems) == 1 {
			return p, nil
		}
		names = append(names, p.Package)
	}
	switch {
	case len(problems) == 0:
		return nil, fmt.Errorf("%s: no problem in this file", arg)
	case name == "":
		return nil, fmt.Errorf("%s: several problems\nhint: choose one with --problem: %s", arg, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("%s: no problem %q\nhint: it has %s", arg, name, strings.Join(names, ", "))
}

// oneWithData is oneProblem for commands that evaluate the objective on data: they know no function in Go.
func oneWithData(s *session, arg, name string) (*spec.Problem, error) {
	p, err := oneProblem(s, arg, name)
	var diags diag.List
	switch {
	case err != nil || p.VI == nil || len(p.VI.Data) > 0:
		return p, err
	case p.VI.External != diag.Span{}:
		diags.Errorf(p.VI.External, "the log-density of %s is a function in Go, which this command does not have", p.Package).
			WithHint("generate the package, and give the function to its New")
	default:
		diags.Errorf(p.VI.Span, "%s has no data, and so nothing says how long its vectors are", p.Package).
			WithHint("generate the package: its New takes the lengths")
	}
	return nil, s.diagnose(diags)
}

// checkStart reports a problem without a start, for commands that cannot ask for one.
func checkStart(p *spec.Problem, diags *diag.List) {
	if len(p.Starts) == 0 && p.RandomStart == nil {
		diags.Errorf(p.PackageSpan, "%s has no start: nothing says where a fit begins", p.Package).
			WithHint("add start, with a formula of the data for each parameter of the surrogate, or random_start")
	}
}

// diagnose prints diagnostics; the error is errReported when there are errors among them.
func (s *session) diagnose(diags diag.List) error {
	if err := diags.Render(s.err); err != nil {
		return err
	}
	if diags.HasErrors() {
		return errReported
	}
	return nil
}

// checkCommand refuses a command line that names no command and whose first word is no spec either: the word is more likely
// a command that is misspelt, or that there is not.
func checkCommand(args []string, names []string) error {
	word := args[0]
	if slices.Contains(names, word) || isSpecFile(word) || strings.HasPrefix(word, "-") || spec.Library().Problem(word) != nil {
		return nil
	}
	if meant := diag.Suggest(word, names); meant != "" {
		return usageError{fmt.Errorf("unknown command %q, did you mean %q?", word, meant)}
	}
	for _, name := range names {
		if strings.HasPrefix(name, word) {
			return usageError{fmt.Errorf("unknown command %q, did you mean %q?", word, name)}
		}
	}
	if diag.Suggest(word, spec.Library().Problems()) != "" {
		return nil // which says so
	}
	if err := checkSpecArg(word); err != nil {
		return err
	}
	return usageError{fmt.Errorf("unknown command %q: there are %s", word, strings.Join(names, ", "))}
}

// checkSpecArg refuses a file that is not named like a spec.
func checkSpecArg(arg string) error {
	if isSpecFile(arg) || spec.Library().Problem(arg) != nil {
		return nil
	}
	if _, err := os.Stat(arg); !errors.Is(err, fs.ErrNotExist) {
		return usageError{fmt.Errorf("%q is not named like a spec; rename it to end in .yaml, or write .%c%s", arg,
			filepath.Separator, arg)}
	}
	return nil
}
