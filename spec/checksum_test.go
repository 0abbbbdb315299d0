package spec

import (
	"os"
	"strings"
	"testing"
)

const checksumSpec = `# A comment.
distribution: shifted
variable: {x: positive}
parameters: {a: real}
logpdf: log(a) - x
---
package: mine
target: shifted
surrogate: none
auxiliary: {b: {type: real}}
map: {a: b}
start: {b: mean(x)}
`

func checksumOf(t *testing.T, name, text string, files map[string]string) string {
	t.Helper()
	f, diags := Parse(name, []byte(text), func(path string) ([]byte, error) {
		if inner, ok := files[path]; ok {
			return []byte(inner), nil
		}
		return nil, os.ErrNotExist
	})
	if diags.HasErrors() {
		t.Fatal(diags.All())
	}
	return f.Problems[0].Checksum()
}

func TestChecksum(t *testing.T) {
	distribution, problem, _ := strings.Cut(checksumSpec, "---\n")
	want := checksumOf(t, "mine.yaml", checksumSpec, nil)
	for name, text := range map[string]string{
		"comments and spaces": strings.Replace(checksumSpec, "# A comment.\n", "# Another\n\n", 1) + "# end\n",
		"documentation":       strings.Replace(checksumSpec, "variable:", "doc: words\nvariable:", 1),
		"spaces of a formula": strings.Replace(checksumSpec, "log(a) - x", "log(a)  -  x", 1),
	} {
		if got := checksumOf(t, "dir/other.yaml", text, nil); got != want {
			t.Errorf("%s: another checksum", name)
		}
	}
	for name, text := range map[string]string{
		"a formula":   strings.Replace(checksumSpec, "log(a) - x", "log(a) - 2*x", 1),
		"a type":      strings.Replace(checksumSpec, "x: positive", "x: real", 1),
		"the package": strings.Replace(checksumSpec, "package: mine", "package: yours", 1),
	} {
		if checksumOf(t, "mine.yaml", text, nil) == want {
			t.Errorf("%s: the same checksum", name)
		}
	}
	imports := func(text string) string {
		return checksumOf(t, "mine.yaml", "import: [dist.yaml]\n---\n"+problem, map[string]string{"dist.yaml": text})
	}
	if imports(distribution) == imports(strings.Replace(distribution, "- x", "- 2*x", 1)) {
		t.Error("what is imported does not count")
	}
	seen := map[string]string{}
	for _, name := range Library().Problems() {
		sum := Library().Problem(name).Checksum()
		if other := seen[sum]; other != "" {
			t.Errorf("%s and %s have one checksum", name, other)
		}
		seen[sum] = name
	}
}
