package vector

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWritten: the assembly and its declarations are what internal/vectorgen writes, which itself refuses instructions that
// detect does not ask the processor for, and functions that leave vectors in use.
func TestWritten(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("go", "run", "-C", filepath.Join("..", "..", "internal", "vectorgen"), ".", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	written, err := os.ReadDir(dir)
	if err != nil || len(written) != 4 {
		t.Fatalf("%d files, %v", len(written), err)
	}
	for _, f := range written {
		want, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what is written (%v): go run -C internal/vectorgen . ../../runtime/vector", f.Name(), err)
		}
	}
}

// guards says which registers and instructions a level may use, without asking the generator: what the names of AVX-512's
// registers and masks look like, and which instructions are in neither AVX2 nor FMA.
var guards = map[Level]*regexp.Regexp{
	AVX2: regexp.MustCompile(`\b(Z\d+|K[0-7]|[XY](1[6-9]|2\d|3[01]))\b|\bV(SCALEF|GETEXP|GETMANT|FPCLASS|RNDSCALE|RANGE|FIXUPIMM|` +
		`PTERNLOG|SHUFF64X2|BLENDM|REDUCE|PERMI2|PERMT2|RCP14|RSQRT14|CVTT?PD2U?QQ|CVTU?QQ2PD|PMULLQ|PSRAQ|PMOVM2|PABSQ|PMAXSQ|PMINSQ)`),
	AVX512: regexp.MustCompile(`\bV(4F|P4DP|PDPB|PDPW|CVTNE|DPBF|PLZCNT|PCONFLICT|PMADD52|PERMI2B|PERMT2B|PERMB|PMULTISHIFT|PCOMPRESS[BW]|` +
		`PEXPAND[BW]|PSHLD|PSHRD|PSHUFBITQMB|PPOPCNT|GF2|PCLMUL|AES|RCP28|RSQRT28|EXP2P)|\b(TDP|TILE)`),
}

// TestGuards looks at the text of the assembly. What Go's own amd64 has, Requires need not name.
func TestGuards(t *testing.T) {
	extensions := map[Level]string{AVX2: "AVX AVX2 BMI2 CMOV FMA3 SSE SSE2", AVX512: "AVX AVX2 AVX512BW AVX512DQ AVX512F AVX512VL BMI2 CMOV FMA3 SSE SSE2"}
	for level, forbidden := range guards {
		text, err := os.ReadFile(level.String() + "_amd64.s")
		if err != nil {
			t.Fatal(err)
		}
		last := ""
		for i, line := range strings.Split(string(text), "\n") {
			if list, ok := strings.CutPrefix(line, "// Requires: "); ok {
				for _, e := range strings.Split(list, ", ") {
					if !strings.Contains(" "+extensions[level]+" ", " "+e+" ") {
						t.Errorf("%v: line %d requires %s", level, i+1, e)
					}
				}
				continue
			}
			if m := forbidden.FindString(line); m != "" && !strings.HasPrefix(line, "//") {
				t.Errorf("%v: line %d has %s: %s", level, i+1, m, line)
			}
			if strings.TrimSpace(line) == "RET" && last != "VZEROUPPER" {
				t.Errorf("%v: line %d returns with vectors in use", level, i+1)
			}
			last = strings.TrimSpace(line)
		}
	}
}
