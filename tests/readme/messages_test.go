package readme_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// TestMessages: the page about what fits say has every status.
func TestMessages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "messages.md"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for s := runtime.NotTerminated; !strings.HasPrefix(s.String(), "Status("); s++ {
		if n++; !strings.Contains(string(text), "`"+s.String()+"`") {
			t.Errorf("docs/messages.md says nothing of %q", s)
		}
	}
	if n < 10 {
		t.Errorf("%d statuses", n)
	}
}
