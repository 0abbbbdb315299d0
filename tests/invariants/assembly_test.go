package invariants

import (
	"bufio"
	"bytes"
	"fmt"
	"go/build"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sngdgen/sngdgen/internal/allocfree"
)

// TestNoAllocatorInSteps is the second of the three checks that a step allocates nothing (the first is the analyser of
// internal/allocfree, the third the emitted tests): in the code that the compiler makes of the steps, and of all they
// call in this module, no instruction calls the runtime's allocator, nor anything else that is not known to be harmless.
func TestNoAllocatorInSteps(t *testing.T) {
	code := assembly(t)
	steps := code.steps()
	for _, p := range packages(t) {
		if !match("generated/...", p.name()) || p.name() == "generated" {
			continue
		}
		for _, step := range []string{"NaturalGradient", "Gradients", "Loss", "Violation", "Theta", "Dual", "Batch"} {
			if !slices.Contains(steps, p.ImportPath+".(*Model)."+step) {
				t.Errorf("%s: no compiled %s found", p.name(), step)
			}
		}
	}
	code.check(t, code.reach(steps))
}

// TestNoAllocatorInRuntime does the same for every function of the packages that a step may call.
func TestNoAllocatorInRuntime(t *testing.T) {
	code := assembly(t)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(code)) {
		if slices.Contains(allocfree.Checked, importPath(name)) {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		t.Error("no compiled functions found")
	}
	code.check(t, all)
}

// TestScanSeesAllocator: New does allocate, so a scan that does not say so is blind.
func TestScanSeesAllocator(t *testing.T) {
	code := assembly(t)
	for name, calls := range code {
		if strings.HasSuffix(name, ".NewWeighted") && !slices.ContainsFunc(calls, func(c call) bool { return c.to == "runtime.newobject" }) {
			t.Errorf("%s makes a model, but no call of the allocator was found in it", name)
		}
	}
}

// harmless are the functions of the runtime that a step may call: they end the program, grow the stack, or move memory.
var harmless = regexp.MustCompile(`^runtime\.(panic\w+|gopanic|morestack\w*|memmove|memclrNoHeapPointers|memequal\w*|` +
	`duffzero|duffcopy|wbZero|wbMove|gcWriteBarrier\w*)$`)

// grow is what makes a slice longer, which some steps may: see allocfree.Growing.
const grow = "runtime.growslice"

// kernels are the functions outside this module and package math that a step may call, which TestKernels of
// internal/allocfree looks into: the listed ones of gonum, and the assembly below them, as they may be inlined.
var kernels = regexp.MustCompile(`^gonum\.org/v1/gonum/(blas/gonum\.Implementation\.(` + strings.Join(allocfree.Kernels, "|") +
	`)|internal/asm/f64\.\w+)$`)

// shares are the functions behind allocfree.Shared, as they are compiled for a type.
var shares = regexp.MustCompile(`/runtime/support\.(\(\*(Pass|Crew)\[|total$|\(\*Column\)\.gather$)`)

// literal is the end of the name of a function literal: those that steps hand to such functions are steps too.
var literal = regexp.MustCompile(`(\.func\d+)+$`)

// call is an instruction that calls a function; to is empty when that is not known before it runs.
type call struct{ to, line string }

// functions maps the symbols of compiled functions to their calls.
type functions map[string][]call

// assembly is the code of the generated packages and of those of the runtime that steps call.
func assembly(t *testing.T) functions {
	t.Helper()
	code, err := assembled()
	if err != nil {
		t.Fatal(err)
	}
	if len(code) == 0 {
		t.Fatal("the compiler printed no code")
	}
	return code
}

// assembled compiles it, once for all tests: the compiler prints very much. The Go tool replays it from its cache where it can.
var assembled = sync.OnceValues(func() (functions, error) {
	if err := watch(); err != nil {
		return nil, err
	}
	args := []string{"build", "-gcflags=" + module + "/generated/...=-S"}
	patterns := []string{"./generated/..."}
	for _, path := range append(slices.Clone(allocfree.Checked), module+"/runtime/support") {
		if p, err := build.ImportDir(root+strings.TrimPrefix(path, module), 0); err == nil && len(p.GoFiles) > 0 {
			args = append(args, "-gcflags="+path+"=-S")
			patterns = append(patterns, path)
		}
	}
	cmd := exec.Command("go", append(args, patterns...)...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go %v: %v\n%s", cmd.Args, err, out)
	}
	return disassemble(out), nil
})

// instruction is a line such as
//
//	0x0024 00036 (/src/negbin.go:54)	CALL	math.archLog(SB)
var instruction = regexp.MustCompile(`^\t0x[0-9a-f]+ \d+ \((.*)\)\t([A-Z]+)\t(.*)$`)

// disassemble reads the output of the compiler: a line "<symbol> STEXT ..." and the instructions of the function.
func disassemble(text []byte) functions {
	out := functions{}
	name := ""
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if symbol, _, ok := strings.Cut(line, " STEXT "); ok && !strings.HasPrefix(line, "\t") {
			name = symbol
			out[name] = nil
			continue
		}
		if !strings.Contains(line, "(SB)") && !strings.Contains(line, "\tCALL\t") && !strings.Contains(line, "\tBL\t") {
			continue // most lines: no call, by the look of it
		}
		if m := instruction.FindStringSubmatch(line); m != nil && name != "" {
			if c, ok := target(m[2], m[3]); ok {
				out[name] = append(out[name], call{c, m[1]})
			}
		}
	}
	return out
}

// target returns the function that an instruction calls, or jumps to as its last act.
func target(op, operand string) (to string, ok bool) {
	symbol, found := strings.CutSuffix(operand, "(SB)")
	switch {
	case (op == "CALL" || op == "BL" || op == "JMP" || op == "B") && found:
		return symbol, true
	case op == "CALL" || op == "BL":
		return "", true
	}
	return "", false
}

// importPath is the package of a symbol: github.com/a/b of github.com/a/b.(*T).M.
func importPath(symbol string) string {
	slash := strings.LastIndex(symbol[:strings.IndexAny(symbol+"(", "([")], "/")
	dot := strings.Index(symbol[slash+1:], ".")
	if dot < 0 {
		return ""
	}
	return symbol[:slash+1+dot]
}

// steps lists the methods of generated packages that a step runs.
func (code functions) steps() []string {
	var out []string
	for name := range code {
		if strings.HasPrefix(name, module+"/generated/") && strings.Contains(name, ".(*") && slices.Contains(allocfree.Steps, method(literal.ReplaceAllString(name, ""))) {
			out = append(out, name)
		}
	}
	return out
}

// method is the last part of a symbol: M of github.com/a/b.(*T).M.
func method(symbol string) string { return symbol[strings.LastIndex(symbol, ".")+1:] }

// reach adds the compiled functions that functions call, directly or not, but for those after which there is no step.
func (code functions) reach(from []string) []string {
	seen := map[string]bool{}
	for len(from) > 0 {
		name := from[len(from)-1]
		from = from[:len(from)-1]
		if seen[name] {
			continue
		}
		seen[name] = true
		if shares.MatchString(name) {
			continue
		}
		for _, c := range code[name] {
			if _, ok := code[c.to]; ok && !slices.Contains(allocfree.Refusals, c.to) {
				from = append(from, c.to)
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// check reports the calls of what is neither compiled here nor known to be harmless.
func (code functions) check(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		if shares.MatchString(name) {
			continue
		}
		growing := slices.Contains(allocfree.Growing, method(name))
		for _, c := range code[name] {
			_, compiled := code[c.to]
			switch {
			case growing && c.to == grow, slices.Contains(allocfree.Refusals, c.to):
			case c.to == "":
				t.Errorf("%s: %s calls a function that only a running program knows", c.line, name)
			case !compiled && !slices.Contains(allocfree.Trusted, importPath(c.to)) && !harmless.MatchString(c.to) &&
				!kernels.MatchString(c.to):
				t.Errorf("%s: %s calls %s", c.line, name, c.to)
			}
		}
	}
}

func TestDisassemble(t *testing.T) {
	const text = `# example.com/a/b
example.com/a/b.(*T).Loss STEXT nosplit size=8 args=0x8 locals=0x0
	0x0000 00000 (/src/b.go:3)	TEXT	example.com/a/b.(*T).Loss(SB), NOSPLIT|ABIInternal, $0-8
	0x0001 00001 (/src/b.go:4)	CALL	runtime.newobject(SB)
	0x0006 00006 (/src/b.go:5)	PCDATA	$1, $0
	0x0006 00006 (/src/b.go:5)	CALL	CX
	0x0008 00008 (/src/b.go:6)	JMP	12
	0x000a 00010 (/src/b.go:7)	JMP	example.com/a/b.tail(SB)
	rel 2+4 t=R_CALL runtime.newobject+0
`
	want := []call{{"runtime.newobject", "/src/b.go:4"}, {"", "/src/b.go:5"}, {"example.com/a/b.tail", "/src/b.go:7"}}
	if got := disassemble([]byte(text))["example.com/a/b.(*T).Loss"]; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for symbol, want := range map[string]string{"a.com/b/c.(*T).M": "a.com/b/c", "math.archLog": "math", "a.com/b.F[go.shape.int]": "a.com/b"} {
		if got := importPath(symbol); got != want {
			t.Errorf("package of %s: %q, want %q", symbol, got, want)
		}
	}
}
