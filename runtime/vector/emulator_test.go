package vector

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// emulator does what a function of the text of the assembly for AVX-512 does, instruction by instruction, so that kernels over slices are tested on
// processors without it. It knows the instructions that these have, and no others.
type emulator struct {
	lines  map[string][]string // of functions
	vector [32][8]uint64
	mask   [8]uint8
	whole  map[string]uint64
	flag   int64               // what the last comparison or subtraction left
	args   map[string]uint64   // of the function that runs
	memory map[uint64][]uint64 // by the upper half of an address
}

func newEmulator(t *testing.T) *emulator {
	text, err := os.ReadFile("avx512_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	e := &emulator{lines: map[string][]string{}}
	name := ""
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "TEXT ·"); ok {
			name, _, _ = strings.Cut(rest, "(")
		} else if line != "" && !strings.HasPrefix(line, "//") && name != "" {
			e.lines[name] = append(e.lines[name], line)
		}
	}
	return e
}

// lend makes numbers memory, and returns their address.
func (e *emulator) lend(x []uint64) uint64 {
	at := uint64(len(e.memory)+1) << 32
	e.memory[at] = x
	return at
}

// run runs a function with arguments that are slices, which it may write to, and whole numbers.
func (e *emulator) run(name string, args map[string]any) {
	e.args, e.memory, e.whole = map[string]uint64{}, map[uint64][]uint64{}, map[string]uint64{}
	after := []func(){}
	for arg, value := range args {
		switch value := value.(type) {
		case int:
			e.args[arg] = uint64(value)
		case []uint64:
			e.args[arg] = e.lend(value)
		case []float64:
			bits := make([]uint64, len(value))
			for i, v := range value {
				bits[i] = math.Float64bits(v)
			}
			e.args[arg] = e.lend(bits)
			after = append(after, func() {
				for i, b := range bits {
					value[i] = math.Float64frombits(b)
				}
			})
		}
	}
	labels, lines := map[string]int{}, e.lines[name]
	if lines == nil {
		panic("no function " + name)
	}
	for i, line := range lines {
		if label, ok := strings.CutSuffix(line, ":"); ok {
			labels[label] = i
		}
	}
	for at := 0; ; at++ {
		line := lines[at]
		if strings.HasSuffix(line, ":") {
			continue
		}
		code, rest, _ := strings.Cut(line, " ")
		operands := strings.Split(strings.TrimSpace(rest), ", ")
		switch code {
		case "RET":
			for _, f := range after {
				f()
			}
			return
		case "JL", "JGE", "JE", "JNZ", "JMP":
			if map[string]bool{"JL": e.flag < 0, "JGE": e.flag >= 0, "JE": e.flag == 0, "JNZ": e.flag != 0, "JMP": true}[code] {
				at = labels[operands[0]]
			}
		default:
			e.step(line, code, operands)
		}
	}
}

var place = regexp.MustCompile(`^(-?\d*)\((\w+)\)$`)

// address is that of an operand in memory.
func (e *emulator) address(operand string) (at []uint64, ok bool) {
	m := place.FindStringSubmatch(operand)
	if m == nil {
		return nil, false
	}
	disp, _ := strconv.ParseInt("0"+strings.TrimPrefix(m[1], "-"), 10, 64)
	if strings.HasPrefix(m[1], "-") {
		disp = -disp
	}
	address := e.whole[m[2]] + uint64(disp)
	return e.memory[address&^(1<<32-1)][address&(1<<32-1)/8:], true
}

// number is a whole number: a constant, an argument or a register.
func (e *emulator) number(operand string) uint64 {
	if text, ok := strings.CutPrefix(operand, "$"); ok {
		v, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 0, 64)
		if err != nil {
			panic(err)
		}
		return uint64(v)
	}
	if name, _, ok := strings.Cut(operand, "+"); ok && strings.HasSuffix(operand, "(FP)") {
		v, ok := e.args[name]
		if !ok {
			panic("no argument " + name)
		}
		return v
	}
	return e.whole[operand]
}

// isVector and isMask tell registers.
func isVector(operand string) (k int, ok bool) {
	rest, ok := strings.CutPrefix(operand, "Z")
	k, err := strconv.Atoi(rest)
	return k, ok && err == nil
}

func isMask(operand string) (k int, ok bool) {
	rest, ok := strings.CutPrefix(operand, "K")
	k, err := strconv.Atoi(rest)
	return k, ok && err == nil
}

// values are those of a vector, of numbers in memory, of which those without a bit in a mask are not read, or of one as often as a vector has some.
func (e *emulator) values(operand string, once bool, mask uint8) (out [8]uint64) {
	if k, ok := isVector(operand); ok {
		return e.vector[k]
	}
	var from []uint64
	if constant, ok := strings.CutSuffix(operand, "AVX512<>+0(SB)"); ok {
		bits, err := strconv.ParseUint(strings.TrimPrefix(constant, "c"), 16, 64)
		if err != nil {
			panic(err)
		}
		from, once = []uint64{bits}, true
	} else if from, ok = e.address(operand); !ok {
		panic("no operand " + operand)
	}
	for i := range out {
		switch {
		case once:
			out[i] = from[0]
		case mask>>i&1 != 0:
			out[i] = from[i]
		}
	}
	return out
}

// step does what one instruction says.
func (e *emulator) step(line, code string, operands []string) {
	last := operands[len(operands)-1]
	switch code {
	case "VZEROUPPER":
		return
	case "MOVQ":
		e.whole[last] = e.number(operands[0])
		return
	case "ANDQ":
		e.whole[last] &= e.number(operands[0])
		return
	case "ADDQ":
		e.whole[last] += e.number(operands[0])
		return
	case "SUBQ":
		e.whole[last] -= e.number(operands[0])
		e.flag = int64(e.whole[last])
		return
	case "CMPQ":
		e.flag = int64(e.number(operands[0])) - int64(e.number(operands[1]))
		return
	case "BZHIQ":
		e.whole[last] = e.number(operands[1]) & (1<<(e.number(operands[0])&255) - 1)
		return
	case "KMOVB":
		k, _ := isMask(last)
		e.mask[k] = uint8(e.number(operands[0]))
		return
	}
	name, zeros := strings.CutSuffix(code, ".Z")
	name, once := strings.CutSuffix(name, ".BCST")
	mask := uint8(255)
	sources := operands[:len(operands)-1]
	if k, ok := isMask(sources[len(sources)-1]); ok && len(sources) > 1 {
		mask, sources = e.mask[k], sources[:len(sources)-1]
	}
	imm := uint64(0)
	if strings.HasPrefix(sources[0], "$") {
		imm, sources = e.number(sources[0]), sources[1:]
	}
	reads := uint8(255)
	if name == "VMOVUPD" {
		reads = mask
	}
	a := e.values(sources[0], once || name == "VBROADCASTSD", reads)
	var b [8]uint64
	if len(sources) > 1 {
		b = e.values(sources[1], false, 255)
	}
	if k, ok := isMask(last); ok {
		e.mask[k] = 0
		for i := range 8 {
			if mask>>i&1 != 0 && compare(imm, math.Float64frombits(b[i]), math.Float64frombits(a[i])) {
				e.mask[k] |= 1 << i
			}
		}
		return
	}
	var old [8]uint64
	k, inRegister := isVector(last)
	if inRegister {
		old = e.vector[k]
	}
	var out [8]uint64
	for i := range out {
		switch {
		case name == "VBLENDMPD" && mask>>i&1 != 0:
			out[i] = a[i]
		case name == "VBLENDMPD":
			out[i] = b[i]
		case mask>>i&1 == 0 && zeros:
		case mask>>i&1 == 0:
			out[i] = old[i]
		case name == "VPERMI2PD":
			if out[i] = b[old[i]&7]; old[i]&8 != 0 {
				out[i] = a[old[i]&7]
			}
		default:
			out[i] = lane(line, name, a[i], b[i], old[i])
		}
	}
	if inRegister {
		e.vector[k] = out
		return
	}
	to, ok := e.address(last)
	if !ok {
		panic("no place " + last)
	}
	for i := range out {
		if mask>>i&1 != 0 {
			to[i] = out[i]
		}
	}
}

func compare(how uint64, x, y float64) bool {
	switch how {
	case 0:
		return x == y
	case 1:
		return x < y
	case 2:
		return x <= y
	case 3:
		return x != x || y != y
	case 5:
		return !(x < y)
	case 13:
		return x >= y
	case 14:
		return x > y
	}
	panic(fmt.Sprint("comparison ", how))
}

// lane is what an instruction makes of one number of its operands, the last of which is what it writes over.
func lane(line, name string, a, b, old uint64) uint64 {
	x, y, z := math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(old)
	switch name {
	case "VMOVUPD", "VMOVAPD", "VBROADCASTSD":
		return a
	case "VXORPD":
		return a ^ b
	case "VORPD":
		return a | b
	case "VANDPD":
		return a & b
	case "VPSLLVQ":
		return b << a
	}
	out := 0.0
	switch name {
	case "VADDPD":
		out = y + x
	case "VSUBPD":
		out = y - x
	case "VMULPD":
		out = y * x
	case "VDIVPD":
		out = y / x
	case "VMAXPD":
		if out = x; y > x {
			out = y
		}
	case "VMINPD":
		if out = x; y < x {
			out = y
		}
	case "VFMADD213PD":
		out = math.FMA(y, z, x)
	case "VFMADD231PD":
		out = math.FMA(y, x, z)
	case "VFMSUB213PD":
		out = math.FMA(y, z, -x)
	case "VFMSUB231PD":
		out = math.FMA(y, x, -z)
	case "VFNMADD213PD":
		out = math.FMA(-y, z, x)
	case "VFNMADD231PD":
		out = math.FMA(-y, x, z)
	case "VRNDSCALEPD":
		out = math.RoundToEven(x)
	case "VSCALEFPD":
		out = math.Ldexp(y, int(max(-5000, min(5000, math.Floor(x)))))
		if x != x {
			out = x
		}
	case "VGETEXPPD":
		out = math.Logb(x)
	case "VGETMANTPD":
		out = mantissa(x)
	default:
		panic("unknown: " + line)
	}
	return math.Float64bits(out)
}

// mantissa is that from 3/4 to 3/2; 1 of 0 and infinity, and NaN of negative numbers.
func mantissa(x float64) float64 {
	switch {
	case x < 0:
		return math.NaN()
	case x == 0 || math.IsInf(x, 0):
		return 1
	}
	m, _ := math.Frexp(x)
	if m < 0.75 {
		m *= 2
	}
	return m
}

// onEmulator is the kernel of a function over slices, for AVX-512.
func (e *emulator) onEmulator(name string, second bool) func(dst, other, x []float64) {
	return func(dst, other, x []float64) {
		args := map[string]any{"dst": dst, "x": x, "n": len(x)}
		if second {
			args["second"] = other
		}
		e.run(name+"AVX512", args)
	}
}

// TestEmulated: what the text of the kernels for AVX-512 says comes to the bits of those for AVX2.
func TestEmulated(t *testing.T) {
	if best == Go {
		t.Skip("no AVX2")
	}
	defer Use(Use(AVX2))
	one := func(f func(dst, x []float64)) func(dst, other, x []float64) {
		return func(dst, _, x []float64) { f(dst, x) }
	}
	e := newEmulator(t)
	for _, k := range []struct {
		name   string
		native func(dst, other, x []float64)
		second bool
	}{
		{"exp", one(Exp), false}, {"log", one(Log), false}, {"expm1", one(Expm1), false}, {"log1p", one(Log1p), false},
		{"sigmoid", one(Sigmoid), false}, {"softplus", one(Softplus), false},
		{"logNdtr", one(LogNdtr), false}, {"ndtrRatio", one(NdtrRatio), false},
		{"softplusSigmoid", SoftplusSigmoid, true}, {"logNdtrRatio", LogNdtrRatio, true},
	} {
		x := emulatedPoints()
		got, other, want, wantOther := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
		e.onEmulator(k.name, k.second)(got, other, x)
		k.native(want, wantOther, x)
		sameBits(t, k.name, got, want)
		sameBits(t, k.name+", second", other, wantOther)
	}
}

// emulatedPoints are numbers for a kernel, not a whole number of vectors.
func emulatedPoints() []float64 {
	x := []float64{0, 1, -1, inf, -inf, nan, 5e-324, 0x1p-1022, math.MaxFloat64, -math.MaxFloat64, 1e-20, 709.5, -745.2, 0.75, 1.5}
	for i := range 300 {
		v := math.Mod(float64(i)*math.Phi, 1)
		x = append(x, 60*v-30, math.Exp(1400*v-700))
	}
	return x
}

// TestEmulatedDifferences: those of lgamma and digamma, with a table that says which entry is which.
func TestEmulatedDifferences(t *testing.T) {
	if best == Go {
		t.Skip("no AVX2")
	}
	defer Use(Use(AVX2))
	g := &GammaTable{Steps: 1, Top: 3.5, Inverse: 1 / 3.5, LogTop: math.Log(3.5), LogBelow: math.Log(2.5), SumBelow: 1 / 2.5, LgammaTop: 0.0237, DigammaTop: 0.0067}
	for i := range g.Lgammas {
		g.Lgammas[i], g.Digammas[i] = float64(i*1000), float64(i*100000)
	}
	table := append([]float64{g.Steps, g.Top, g.Inverse, g.LogTop, g.LogBelow, g.SumBelow, g.LgammaTop, g.DigammaTop}, append(g.Lgammas[:], g.Digammas[:]...)...)
	e := newEmulator(t)
	draws := append([]float64{17, 16.5, 3.5, -1, -0.5, inf, nan, math.MaxFloat64, 1e300, 1e15, 0x1p53 + 2}, make([]float64, 50)...)
	for i := range 50 {
		draws[11+i] = float64(i)
	}
	for n := 1; n <= len(draws); n++ {
		x := draws[len(draws)-n:]
		for _, name := range []string{"lgammaDiff", "digammaDiff", "lgammaDigammaDiff"} {
			got, other, seen := make([]float64, n), make([]float64, n), make([]uint64, 8)
			args := map[string]any{"dst": got, "x": x, "table": table, "seen": seen, "n": n}
			lgamma, digamma := make([]float64, n), make([]float64, n)
			switch name {
			case "lgammaDiff":
				digamma = nil
			case "digammaDiff":
				lgamma = nil
			default:
				args["second"] = other
			}
			e.run(name+"AVX512", args)
			wantSeen, wantOther := g.Diffs(lgamma, digamma, x)
			var bits uint64
			for _, v := range seen {
				bits |= v
			}
			if uint32(bits)&^1 != wantSeen || bits>>otherGamma != 0 != wantOther {
				t.Errorf("%s: %x seen, not %x, %v", name, bits, wantSeen, wantOther)
			}
			known := func(got, want []float64) {
				for i, v := range x {
					if v == math.Trunc(v) && v >= 0 && v <= math.MaxFloat64 || v > 16 && v <= math.MaxFloat64 {
						sameBits(t, fmt.Sprint(name, " of ", v), got[i:i+1], want[i:i+1])
					}
				}
			}
			switch name {
			case "lgammaDiff":
				known(got, lgamma)
			case "digammaDiff":
				known(got, digamma)
			default:
				known(got, lgamma)
				known(other, digamma)
			}
		}
	}
}
