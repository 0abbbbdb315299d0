package emit_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/emit"
	"github.com/sngdgen/sngdgen/gen/methods"
)

// TestSlopesAreAdded: the method that evaluates the model at all draws adds what slopes say to the gradients where these are asked for, and only there.
func TestSlopesAreAdded(t *testing.T) {
	for _, c := range []struct{ problem, method, added string }{
		{"robustregression", "logJointsOf", ""}, // values alone
		{"robustregression", "estimatesOf", "\t\tif p.evaluated != support.Values {\n\t\t\tp.group1.AddTo("},
		{"logistic", "logJointsOf", "\t\tif p.evaluated != support.Values {\n\t\t\tp.group1.AddTo("},
	} {
		d := derived(t, c.problem)
		p, err := methods.Of(d, methods.Options{Source: c.problem})
		if err != nil {
			t.Fatal(err)
		}
		files, err := emit.Emit(d, p, c.problem)
		if err != nil {
			t.Fatal(err)
		}
		body := regexp.MustCompile(`(?s)\nfunc \(p \*Model\) ` + c.method + `\(.*?\n}\n`).FindString(string(files[0].Data))
		if body == "" {
			t.Fatalf("%s has no method %s", c.problem, c.method)
		}
		if adds := strings.Contains(body, "AddTo"); adds != (c.added != "") || !strings.Contains(body, c.added) {
			t.Errorf("%s: %s", c.problem, body)
		}
	}
}
