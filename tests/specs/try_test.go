package specs_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/specs/specgen"
)

func TestTry(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	seen := map[string]int{}
	for seed := range n {
		text := specgen.Spec(specgen.NewTape(uint64(seed)))
		began := time.Now()
		msg := func() (msg string) {
			defer func() {
				if r := recover(); r != nil {
					stack := string(debug.Stack())
					_, stack, _ = strings.Cut(stack, "panic(")
					lines := strings.Split(stack, "\n")
					msg = fmt.Sprint("PANIC ", r, lines[3:min(len(lines), 10)])
				}
			}()
			f, diags := spec.Parse("s.yaml", []byte(text), nil)
			if f == nil || diags.HasErrors() {
				return "SPEC " + diags.String()
			}
			_, diags = gen.Generate(f.Problems[0], gen.Options{})
			if diags.HasErrors() {
				return "GEN " + diags.String()
			}
			return ""
		}()
		if e := time.Since(began); e > 2*time.Second {
			fmt.Println("SLOW", seed, e)
		}
		if msg != "" {
			key := msg[:min(len(msg), 90)]
			if i := strings.Index(msg, "error:"); i >= 0 {
				key = msg[i:min(len(msg), i+70)]
			}
			if seen[key]++; seen[key] < 3 {
				fmt.Println("=====", seed, msg)
				if os.Getenv("V") != "" {
					fmt.Println(text)
				}
			}
		}
		seen["n"]++
	}
	for k, v := range seen {
		fmt.Println(v, k)
	}
}
