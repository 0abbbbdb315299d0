package readme_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/spec"
)

// TestLibraryIsListed: README names every problem of the library, or what it is without nat.
func TestLibraryIsListed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range spec.Library().Problems() {
		if !strings.Contains(string(text), "`"+name+"`") && !strings.Contains(string(text), "`"+strings.TrimSuffix(name, "nat")+"`") {
			t.Errorf("README does not name %s", name)
		}
	}
}
