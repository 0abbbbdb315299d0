package specs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/overlay"
	"github.com/sngdgen/sngdgen/tests/specs/worker"
)

// drawn is a spec with what was made of it.
type drawn struct {
	name    string // of its folder
	text    string
	derived *derive.Result
	files   []gen.File
	problem *spec.Problem
	refused string // what the generator says it cannot do
	// overflows says that the density is beyond what can be compared, or emitted code tested with, at a start or next to it.
	overflows bool
	failure   []string // what went wrong
}

func (s *drawn) fail(format string, args ...any) {
	s.failure = append(s.failure, fmt.Sprintf(format, args...))
}

// generate derives a spec and generates its package.
func generate(name, text string) (s *drawn) {
	s = &drawn{name: name, text: text}
	defer func() {
		if r := recover(); r != nil {
			s.fail("panic: %v\n%s", r, debug.Stack())
		}
	}()
	f, diags := spec.Parse(name+".yaml", []byte(text), nil)
	if f == nil || diags.HasErrors() || len(f.Problems) != 1 {
		s.fail("%s", diags.String())
		return s
	}
	if s.files, diags = gen.Generate(context.Background(), f.Problems[0], gen.Options{}); diags.HasErrors() {
		if s.refused = diags.String(); !permitted.MatchString(s.refused) {
			s.fail("%s", s.refused)
		}
		return s
	}
	s.problem = f.Problems[0]
	b, _ := bind.Bind(f.Problems[0])
	var err error
	if s.derived, err = derive.Derive(b); err != nil {
		s.fail("%v", err)
	}
	return s
}

// permitted is what may be said of a right spec: that there is no code yet, that 0, which is of every shape, has none, or that a
// sigmoid is 1 to the last bit.
var permitted = regexp.MustCompile(`no code for|this is a scalar|this is a number, and has no entry|lies in \[1, 1\]|and a scalar|a scalar and a`)

// drawnPackage is where the packages of specs are compiled, and drawnPath its import path. It is not on disk.
const (
	drawnPackage = "tests/specs/drawn"
	drawnPath    = overlay.Module + "/" + drawnPackage
)

// compile compiles the packages of specs, with a test that asks them, to one program. Specs that do not compile are marked, and
// left out of the program. The name of the program is "" where nothing is left.
func compile(t *testing.T, specs []*drawn) (program string) {
	t.Helper()
	for {
		good := slices.DeleteFunc(slices.Clone(specs), func(s *drawn) bool { return len(s.failure) > 0 || s.files == nil })
		if len(good) == 0 {
			return ""
		}
		files := map[string][]byte{"drawn_test.go": ask(good)}
		for _, s := range good {
			for _, f := range s.files {
				if !strings.HasSuffix(f.Name, "_test.go") {
					files[s.name+"/"+f.Name] = f.Data
				}
			}
		}
		program, err := overlay.Compile(t.Context(), drawnPackage, files, t.TempDir())
		if err == nil {
			return program
		}
		var complaint *overlay.CompileError
		if !errors.As(err, &complaint) || !blame(good, complaint.Output) {
			t.Fatal(err)
		}
	}
}

// ask is the test file of the program.
func ask(specs []*drawn) []byte {
	var b bytes.Buffer
	b.WriteString("package drawn_test\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\t\"github.com/sngdgen/sngdgen/runtime\"\n" +
		"\t\"github.com/sngdgen/sngdgen/runtime/modeltest\"\n\t\"github.com/sngdgen/sngdgen/tests/specs/worker\"\n")
	for _, s := range specs {
		fmt.Fprintf(&b, "\t%s %q\n", s.name, drawnPath+"/"+s.name)
	}
	b.WriteString(")\n\nvar models = map[string]func() runtime.Model{\n")
	for _, s := range specs {
		fmt.Fprintf(&b, "\t%q: func() runtime.Model { return new(%s.Model) },\n", s.name, s.name)
	}
	b.WriteString(`}

func TestAnswers(t *testing.T) {
	if err := worker.Answers(os.Getenv("ANSWERS"), models); err != nil {
		t.Fatal(err)
	}
}

func TestEmitted(t *testing.T) {
	for name, newModel := range models {
		t.Run(name, func(t *testing.T) {
			if _, ok := newModel().(runtime.Variational); ok {
				modeltest.RunVariational(t, newModel)
				return
			}
			modeltest.Run(t, newModel)
		})
	}
}
`)
	return b.Bytes()
}

// blame marks the specs that the compiler complains about.
func blame(specs []*drawn, out string) (found bool) {
	for _, part := range strings.Split(out, "# "+drawnPath+"/")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		for _, s := range specs {
			if s.name == strings.Fields(name)[0] {
				s.fail("the package does not compile:\n%s", text)
				found = true
			}
		}
	}
	return found
}

// answers runs the program and reads what the models say.
func answers(t *testing.T, program string) map[string]worker.Answer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "answers")
	cmd := exec.CommandContext(t.Context(), program, "-test.run", "^TestAnswers$", "-test.timeout", "30m")
	cmd.Env = append(os.Environ(), "ANSWERS="+file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := worker.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// interpreted compares a model whose programs are interpreted with the compiled one, to the last digit.
func (s *drawn) interpreted(want worker.Answer) {
	newModel, diags, unsupported := engine.Interpreted(context.Background(), s.problem, gen.Options{})
	switch {
	case diags.HasErrors():
		s.fail("interpreted: %s", diags.String())
	case unsupported != nil:
		s.fail("%v", unsupported)
	default:
		if a, b := fmt.Sprintf("%+v", worker.Ask(newModel)), fmt.Sprintf("%+v", want); a != b {
			s.fail("interpreted it says\n%s\nnot\n%s", a, b)
		}
	}
}

// emittedLimit is how long the tests of one package may take.
const emittedLimit = time.Minute

// emitted runs the tests of a package.
func (s *drawn) emitted(ctx context.Context, program string) {
	cmd := exec.CommandContext(ctx, program, "-test.run", "^TestEmitted$/^"+s.name+"$", "-test.short", "-test.timeout", emittedLimit.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		s.fail("the emitted test fails: %v\n%s", err, head(string(out), 40))
	}
}

// head are the first lines of a text.
func head(text string, lines int) string {
	all := strings.SplitAfter(text, "\n")
	return strings.Join(all[:min(lines, len(all))], "")
}

// check carries specs through everything. What is wrong with them is in them afterwards.
func check(t *testing.T, specs []*drawn) {
	t.Helper()
	program := compile(t, specs)
	if program == "" {
		return
	}
	got := answers(t, program)
	for _, name := range slices.Sorted(maps.Keys(got)) {
		s := specs[slices.IndexFunc(specs, func(s *drawn) bool { return s.name == name })]
		a := got[name]
		if a.Failure != "" {
			s.fail("%s", a.Failure)
			continue
		}
		s.compare(a)
		s.interpreted(a)
		if !s.overflows {
			s.emitted(t.Context(), program)
		}
	}
}
