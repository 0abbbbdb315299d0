package environment_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/vector"
	"github.com/sngdgen/sngdgen/runtime/vector/environment"
)

// child is set where this program runs itself.
const child = "SNGDGEN_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		os.Stdout.WriteString(vector.Active().String())
		return
	}
	os.Exit(m.Run())
}

// TestVariable: the level is what the variable says, as far as the processor has it, and the best where it says nothing of use.
func TestVariable(t *testing.T) {
	words := []string{"go", "avx2", "avx512"}
	best := slices.Index(words, active(t, ""))
	for i, word := range words {
		if got := active(t, word); got != words[min(i, best)] {
			t.Errorf("%s: %s", word, got)
		}
	}
	if got := active(t, "AVX2"); got != words[best] {
		t.Errorf("no word: %s", got)
	}
}

func active(t *testing.T, word string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"=1", environment.Variable+"="+word)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
