package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sngdgen/sngdgen/internal/disk"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// The exit codes.
const (
	exitOK          = 0
	exitBad         = 1   // bad input, or a fit that did not converge; diagnostics are on the standard error
	exitUsage       = 2   // the command line cannot be understood
	exitInterrupted = 130 // Ctrl-C or SIGTERM came before the end; as shells have it, 128 and the number of Ctrl-C
)

// exitCodes are documented: in the help, in the manual and in README.md.
var exitCodes = []struct {
	code  int
	means string
}{
	{exitOK, "done"},
	{exitBad, "bad input, a fit whose outcome is no maximum, or files that --check finds to be out of date"},
	{exitUsage, "the command line makes no sense"},
	{exitInterrupted, "Ctrl-C or SIGTERM came before the end"},
}

// environment are the variables that the command looks at.
var environment = []struct{ name, means string }{
	{"XDG_CACHE_HOME", "the folder of compiled specs is sngdgen in it; ~/.cache/sngdgen where it is not set"},
	{"GOFLAGS, GOPROXY and the like", "those of the go command, which compiles specs that are not of the library"},
	{processesVariable, "which of how many processes a fit is that share the rows, as sngdgen-mpi says"},
	{"NO_COLOR", "makes no difference: nothing is printed in colours, to terminals or elsewhere"},
}

// exitHelp has the exit codes in a sentence.
func exitHelp() string {
	var out []string
	for _, e := range exitCodes {
		out = append(out, fmt.Sprintf("%d %s", e.code, e.means))
	}
	return "Exit codes: " + strings.Join(out, "; ") + "."
}

// commands is the grammar of the command line.
type commands struct {
	Generate   generateCmd   `cmd:"" default:"withargs" help:"Write the packages of specs (the command when none is named)."`
	Check      checkCmd      `cmd:"" help:"Say what is wrong with specs, and test their maps and derivatives."`
	Explain    explainCmd    `cmd:"" help:"Show how a problem is derived: model, map, rules, natural gradient, cost."`
	Fit        fitCmd        `cmd:"" help:"Fit a problem to data."`
	Score      scoreCmd      `cmd:"" help:"Evaluate the log-density of rows of data under a fit."`
	Assign     assignCmd     `cmd:"" help:"Assign rows of data to the components of a fitted mixture."`
	Predict    predictCmd    `cmd:"" help:"Predict means and quantiles by a fit, or draw."`
	Compare    compareCmd    `cmd:"" help:"Compare two fits of the same data."`
	Rank       rankCmd       `cmd:"" help:"Say how good surrogates of a target are on data: spectra, rates, cost."`
	Bench      benchCmd      `cmd:"" help:"Time the steps and whole fits of a problem."`
	Sample     sampleCmd     `cmd:"" help:"Draw data from the target of a problem."`
	Studio     studioCmd     `cmd:"" help:"Serve a page to write specs, see derivations and fit data."`
	List       listCmd       `cmd:"" help:"List the library."`
	Migrate    migrateCmd    `cmd:"" help:"Rewrite specs in the newest version of their language."`
	Schema     schemaCmd     `cmd:"" help:"Print the JSON Schema of specs, or of what is printed with --json."`
	Completion completionCmd `cmd:"" help:"Print a script that completes command lines in a shell."`
	Man        manCmd        `cmd:"" help:"Print the manual page."`
	Version    versionCmd    `cmd:"" help:"Print the version."`

	Quiet       bool        `help:"Show no progress on a terminal."`
	ShowVersion versionFlag `name:"version" help:"Print the version."`
}

const description = `Symbolic code generator for surrogate natural gradient descent.

A SPEC is a YAML file (or a path with a separator in it); a NAME is a problem of the library, see "sngdgen list".`

// session is what a command works with.
type session struct {
	context.Context
	in       io.Reader
	out, err io.Writer
	args     []string    // the command line, without the name of the program
	quiet    bool        // no progress is shown
	others   *process    // that have other rows of the data, nil where there are none
	engine   string      // that runs specs, as it was asked for; empty is auto
	without  []string    // passes that are left out of what is compiled
	space    *disk.Space // has the numbers of the data, where there is a limit to their memory
	cache    string      // that keeps the rows

	interruption
}

// usageError is a command line that parses but makes no sense.
type usageError struct{ error }

// errReported ends a command whose diagnostics are already on the standard error.
var errReported = errors.New("reported")

// run runs the command line and returns the exit code.
func run(args []string, in io.Reader, out, errw io.Writer) int {
	if len(args) == 0 {
		parse(new(commands), []string{"--help"}, errw, errw)
		return exitUsage
	}
	var grammar commands
	parsed, err := parse(&grammar, args, out, errw)
	if parsed == nil {
		return report(errw, err)
	}
	if err := checkOutputs(parsed.Flags()); err != nil {
		return report(errw, err)
	}
	s := &session{Context: context.Background(), in: in, out: out, err: errw, args: args, quiet: grammar.Quiet}
	return report(errw, supervise(s, parsed.run))
}

// commandLine is one that has been parsed.
type commandLine struct {
	*kong.Context
	run func(s *session) error
}

// parse parses the command line. It returns neither a context nor an error when help or the version was asked for, and printed.
func parse(grammar *commands, args []string, out, errw io.Writer) (parsed *commandLine, err error) {
	defer func() {
		switch r := recover(); r {
		case nil, errExit:
		case errVersion:
			_, err = fmt.Fprintln(out, fullVersion())
		default:
			panic(r)
		}
	}()
	if err := checkCommand(args, commandNames()); err != nil {
		return nil, err
	}
	if parsed = parseAlone(grammar, args); parsed == nil {
		*grammar = commands{}
		all, err := newParser(grammar, out, errw).Parse(args)
		if err != nil {
			return nil, usageError{withQuotesHint(err)}
		}
		parsed = &commandLine{all, func(s *session) error { return all.Run(s) }}
	}
	if err := checkLimits(parsed.Flags()); err != nil {
		return nil, usageError{err}
	}
	return parsed, nil
}

// parseAlone parses the command line of a command that is named by a grammar that has no other one, and of its flags those alone that are there or have
// a default: parsers of all that there is take longer to make than a small fit. It returns nil where that is not all that there is to do, as for help or an
// error, which speak of the others.
func parseAlone(grammar *commands, args []string) (parsed *commandLine) {
	defer func() {
		if r := recover(); r != nil && r != errExit {
			panic(r)
		}
	}()
	given := map[string]bool{}
	for _, arg := range args {
		if name, ok := strings.CutPrefix(arg, "--"); ok {
			name, _, _ = strings.Cut(name, "=")
			given[squeezed(name)] = true
		}
	}
	var outer, inner fields
	var named runs
	for _, f := range fieldsOf(reflect.ValueOf(grammar).Elem()) {
		switch {
		case !isCommand(f.StructField):
			outer = append(outer, f)
		case commandName(f.StructField) == args[0]:
			named, _ = f.place.Addr().Interface().(runs)
			inner = slices.DeleteFunc(fieldsOf(f.place), func(f field) bool { return !f.needed(given) })
			f.Type, f.place = inner.structure(), reflect.Value{}
			outer = append(outer, f)
		}
	}
	if named == nil && !strings.HasPrefix(args[0], "-") {
		return nil
	}
	alone := reflect.New(outer.structure())
	read, err := newParser(alone.Interface(), io.Discard, io.Discard).Parse(args)
	if err != nil || read.Selected() == nil {
		return nil
	}
	for i, f := range outer {
		if f.place.IsValid() {
			f.place.Set(alone.Elem().Field(i))
			continue
		}
		for k, f := range inner {
			f.place.Set(alone.Elem().Field(i).Field(k))
		}
	}
	return &commandLine{read, named.Run}
}

// runs is what commands are.
type runs interface{ Run(s *session) error }

// field is one of a structure with flags, and where its value is.
type field struct {
	reflect.StructField
	place reflect.Value
}

type fields []field

// fieldsOf are the fields of a structure, with those of what it embeds.
func fieldsOf(v reflect.Value) (out fields) {
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.Anonymous && f.IsExported() {
			out = append(out, field{reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag}, v.FieldByIndex(f.Index)})
		}
	}
	return out
}

// structure is a type with these fields alone.
func (f fields) structure() reflect.Type {
	var out []reflect.StructField
	for _, one := range f {
		out = append(out, one.StructField)
	}
	return reflect.StructOf(out)
}

// needed reports whether a flag is among the names that are given, or may make a difference without that, as arguments do.
func (f field) needed(given map[string]bool) bool {
	_, argument := f.Tag.Lookup("arg")
	names := append(strings.Split(f.Tag.Get("aliases"), ","), cmp.Or(f.Tag.Get("name"), f.Name))
	return argument || f.Tag.Get("default") != "" || f.Tag.Get("short") != "" ||
		slices.ContainsFunc(names, func(name string) bool { return given[squeezed(name)] })
}

// squeezed is the name of a flag, or of its field, without hyphens and capital letters.
func squeezed(name string) string { return strings.ToLower(strings.ReplaceAll(name, "-", "")) }

// withQuotesHint says what to do where a shell has put the names of several files in the place of a pattern.
func withQuotesHint(err error) error {
	file, ok := strings.CutPrefix(err.Error(), "unexpected argument ")
	if info, failed := os.Stat(file); !ok || failed != nil || !info.Mode().IsRegular() {
		return err
	}
	return fmt.Errorf("%w\nhint: put a pattern of names in quotes, 'part-*.csv', to read several files", err)
}

// commandNames are the names of all commands.
func commandNames() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[commands]()) {
		if isCommand(f) {
			names = append(names, commandName(f))
		}
	}
	return names
}

// isCommand tells a command from a flag of all of them.
func isCommand(f reflect.StructField) bool {
	_, ok := f.Tag.Lookup("cmd")
	return ok
}

// commandName is what a command is called, a word.
func commandName(f reflect.StructField) string { return strings.ToLower(f.Name) }

// errExit is the panic that stands for an exit of kong, which ends --help in that way.
var errExit = errors.New("exit")

func newParser(grammar any, out, errw io.Writer) *kong.Kong {
	parser := kong.Must(grammar,
		kong.Name("sngdgen"),
		kong.Description(description+"\n\n"+exitHelp()),
		kong.Writers(out, errw),
		kong.NamedMapper("method", choices(estimate.Methods)),
		kong.NamedMapper("search", choices(estimate.LineSearches)),
		kong.NamedMapper("root", choices(estimate.Roots)),
		kong.NamedMapper("schedule", choices(estimate.Schedules)),
		kong.NamedMapper("optimizer", choices(estimate.Optimizers)),
		kong.ExplicitGroups([]kong.Group{{Key: "stochastic", Title: "Scheduled steps over minibatches (sngd, gd, adam):"},
			{Key: "variational", Title: "Variational objectives:"},
			{Key: "pictures", Title: "Pictures:"}}),
		kong.Exit(func(int) { panic(errExit) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	)
	addHelp(parser.Model)
	return parser
}

// choices are the values that a flag may have, if its tag says that its type is their name. Tags have them as ${choices}, an enumeration, and as ${list},
// for the help. Variables of the whole grammar would be looked for in the tags of all flags, which takes longer than all else that its parser does.
type choices []string

// Decode takes one, or what a parser refuses.
func (c choices) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	return ctx.Scan.PopValueInto("string", target.Addr().Interface())
}

// Vars are what the tags of a flag have.
func (c choices) Vars(*kong.Value) kong.Vars {
	return kong.Vars{"choices": strings.Join(c, ","), "list": strings.Join(c, ", ")}
}

// report prints an error and returns the exit code.
func report(errw io.Writer, err error) int {
	var usage usageError
	if asked := (interrupted{}); errors.As(err, &asked) {
		if asked.error != nil && !errors.Is(asked.error, context.Canceled) {
			report(errw, asked.error)
		}
		fmt.Fprintln(errw, "sngdgen: interrupted") // also when it has said what it had found so far
		return exitInterrupted
	}
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(errw, "sngdgen: %v\nrun \"sngdgen --help\" for the commands and their flags\n", err)
		return exitUsage
	case !errors.Is(err, errReported):
		fmt.Fprintln(errw, err)
	}
	return exitBad
}
