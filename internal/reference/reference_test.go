package reference_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/sngdgen/sngdgen/internal/reference"
)

// TestFresh: the reference in docs is what the code says today.
func TestFresh(t *testing.T) {
	got, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, reference.Markdown()) {
		t.Error("docs/reference.md is stale: run go run ./internal/genlibrary")
	}
}
