// Command lines counts the generated lines of the library, by what they are for, and how many of them are for what an older version could do too:
//
//	go run ./tests/lines -base 6dfde46 > tests/lines/TABLE.md
//
// A function, with its comment and the line behind it, is of the older version where the package had one of that name then. A pass or a stage is where a function is that it is
// a part of, as its comment says. Since then passes over the rows are shared by workers, for which each is a method: its head and its end, and the lines that hand to it what
// it needs, are counted by themselves. Everything else counts as of then: imports, comments of packages, types, tables, and what functions of then do more.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	base := flag.String("base", "6dfde46", "the older commit")
	flag.Parse()
	if err := run(*base); err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
}

func run(base string) error {
	old, err := library(func() ([]string, error) { return listed(base) }, func(name string) ([]byte, error) { return git("show", base+":"+name) })
	if err != nil {
		return err
	}
	now, err := library(func() ([]string, error) { return filepath.Glob("generated/*/*.go") }, os.ReadFile)
	if err != nil {
		return err
	}
	fmt.Print(table(base, old, now))
	return nil
}

// listed are the files of the library at a commit.
func listed(base string) ([]string, error) {
	out, err := git("ls-tree", "-r", "--name-only", base, "generated/")
	return strings.Fields(string(out)), err
}

func git(args ...string) ([]byte, error) {
	c := exec.Command("git", args...)
	c.Stderr = os.Stderr
	return c.Output()
}

// pack is a package: its functions, and how many lines it has besides.
type pack struct {
	functions map[string]function
	rest      int
}

func (p *pack) lines() int {
	n := p.rest
	for _, f := range p.functions {
		n += f.lines
	}
	return n
}

type function struct {
	lines   int
	handing int      // of these, those for workers
	users   []string // of a pass or a stage
}

// library reads packages, by their names.
func library(files func() ([]string, error), read func(string) ([]byte, error)) (map[string]*pack, error) {
	names, err := files()
	if err != nil {
		return nil, err
	}
	out := map[string]*pack{}
	for _, name := range names {
		source, err := read(name)
		if err != nil {
			return nil, err
		}
		of := filepath.Base(filepath.Dir(name))
		if out[of] == nil {
			out[of] = &pack{functions: map[string]function{}}
		}
		if err := out[of].add(name, source); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// add counts the lines of a file.
func (p *pack) add(name string, source []byte) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.ParseComments)
	if err != nil {
		return err
	}
	p.rest += bytes.Count(source, []byte("\n"))
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name == "_" {
			continue
		}
		from := d.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		n := set.Position(d.End()).Line - set.Position(from).Line + 2
		text := source[set.Position(d.Pos()).Offset:set.Position(d.End()).Offset]
		if _, twice := p.functions[named(f)]; twice {
			return fmt.Errorf("%s has two functions %s", name, named(f))
		}
		p.functions[named(f)] = function{n, handing(f.Name.Name, text), users(f.Doc.Text())}
		p.rest -= n
	}
	return nil
}

// handing counts the lines of a function that are there for workers.
func handing(name string, text []byte) (n int) {
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte("p.pass.")) {
			n++
		}
	}
	if passMethod.MatchString(name) {
		n += 4 // its comment, its head, its end and the line behind it
	}
	return n
}

var passMethod = regexp.MustCompile(`^pass\d+$`)

// named is the name of a method of the model, that of another type's behind the type, and that of a function behind a point.
func named(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return "." + f.Name.Name
	}
	if of := strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*"); of != "Model" {
		return of + "." + f.Name.Name
	}
	return f.Name.Name
}

var part = regexp.MustCompile(`^(?:pass|stage)\d+ is a (?:pass|part) of ([^.]*?)(?: over the rows|, and|\.|$)`)

// users are the functions that a comment says a pass or a stage is a part of.
func users(comment string) []string {
	m := part.FindStringSubmatch(strings.ReplaceAll(comment, "\n", " "))
	if m == nil {
		return nil
	}
	return regexp.MustCompile(`, | and `).Split(m[1], -1)
}

// of reports whether a function is one that a package had.
func (p *pack) had(name string, f function) bool {
	if f.users != nil {
		return slices.ContainsFunc(f.users, func(user string) bool { return p.had(user, function{}) })
	}
	_, same := p.functions[name]
	_, then := p.functions[renamed[strings.TrimRight(name, "0123456789")]]
	return same || then
}

// renamed are functions of which the work was done by one of another name then.
var renamed = map[string]string{"ThetaOf": "ThetaAt", "logJointsOf": "logJoints", "estimated": "logJoint", "estimatedValue": "logJointValue",
	"estimatedGradient": "logJointGradient", "estimates": "logJoints", "estimatesOf": "logJoints", "LogDensities": "Weights", "start": "Start", "columns": "prepare",
	"Observations": "Counts", "grouped": "count"}

// kinds are what functions are for, by their names; the first that matches counts.
var kinds = []struct {
	name string
	of   *regexp.Regexp
}{
	{"tests and examples", regexp.MustCompile(`^\.(TestModel|BenchmarkModel|Example|newModel)$`)},
	{"limits at infinity", regexp.MustCompile(`(?i)^limit`)},
	{"starts", regexp.MustCompile(`(?i)start|^moments$`)},
	{"construction, data, batches, copies, workers, descriptions", regexp.MustCompile(`^(\.New|\.NewWeighted|SetData|prepare|columns|constants|Batch|Observations|Sizes|Resize|allocate|Clone|help|SetWorkers|Info|Blocks|Conditions|SetComponents|Components|SetDraws|Draws|Draw|Noise|ThetaAt|ThetaOf|Fit|SetNodes|Nodes|Observed|label|Counts|Unconstrained)$`)},
	{"Fisher information, densities, draws, prediction", regexp.MustCompile(`^(Fisher|LogDensit|Sample|Responsibilit|Latents|Weights|Predict|Hessian)`)},
}

const (
	steps = "steps: gradients, losses, domains, coordinates, with their passes and stages"
	rest  = "comments of packages, imports, types, tables"
)

// kind says what a function is for.
func kind(name string, f function) string {
	if f.users != nil {
		name = f.users[0]
	}
	for _, k := range kinds {
		if k.of.MatchString(name) {
			return k.name
		}
	}
	return steps
}

func table(base string, old, now map[string]*pack) string {
	total := func(l map[string]*pack) (n int) {
		for _, p := range l {
			n += p.lines()
		}
		return n
	}
	lines, later, names := map[string]int{}, map[string]int{}, map[string]int{}
	handing := 0
	for name, p := range now {
		was := old[name]
		lines[rest] += p.rest
		if was == nil {
			later[rest] += p.rest
		}
		for fn, f := range p.functions {
			lines[kind(fn, f)] += f.lines
			if was != nil && was.had(fn, f) {
				handing += f.handing
			} else {
				later[kind(fn, f)] += f.lines
				if f.users == nil {
					names[strings.TrimLeft(strings.TrimRight(fn, "0123456789"), ".")] += f.lines
				}
			}
		}
	}
	sum := 0
	for _, n := range later {
		sum += n
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Lines of generated packages\n\nMade by `go run ./tests/lines -base %s > tests/lines/TABLE.md`. The %d packages of the library have %d lines; then they were %d with %d lines.\n",
		base, len(now), total(now), len(old), total(old))
	left := total(now) - sum
	fmt.Fprintf(&b, "Of the lines of today, %d are functions that a package did not have then, with their passes and stages, which leaves %d, %.3f of what there was.\n",
		sum, left, float64(left)/float64(total(old)))
	fmt.Fprintf(&b, "Of these, %d hand passes over the rows to workers, which leaves %d, %.3f of what there was.\n\n", handing, left-handing, float64(left-handing)/float64(total(old)))
	fmt.Fprintf(&b, "| what they are for | lines | of these for functions that are new |\n| --- | ---: | ---: |\n")
	for _, k := range slices.SortedFunc(maps.Keys(lines), func(a, b string) int { return cmp.Compare(lines[b], lines[a]) }) {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", k, lines[k], later[k])
	}
	fmt.Fprintf(&b, "\nNew functions, with their lines:")
	for _, n := range slices.SortedFunc(maps.Keys(names), func(a, b string) int { return cmp.Or(cmp.Compare(names[b], names[a]), cmp.Compare(a, b)) }) {
		fmt.Fprintf(&b, " %s %d,", n, names[n])
	}
	return strings.TrimSuffix(b.String(), ",") + ".\n"
}
