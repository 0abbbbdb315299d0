package spec

import (
	"strings"
	"testing"
	"time"
)

// TestHostileFiles reads files made to take long. Each is at the limit of size.
func TestHostileFiles(t *testing.T) {
	repeat := func(s string) string { return strings.Repeat(s, MaxFile/len(s)) }
	lines := func(s string) string { return repeat(strings.Repeat(s, maxLine/2/len(s)) + "\n  ") }
	head := "distribution: d\nvariable: {x: real}\nparameters: {mu: real}\n"
	tests := map[string]string{
		"brackets":       lines("["),
		"closed":         "a: " + lines("[],"),
		"items":          "statistics: [" + lines("é,")[:MaxFile/2] + "]",
		"keys":           repeat("k: v\n"),
		"unknown":        head + repeat(strings.Repeat("k", 60)+": v\n"),
		"spaces":         "a: b" + lines(" ") + "c",
		"blank lines":    "a: |\n  b" + repeat("\n") + "  c\n",
		"quotes":         "a: '" + lines("''"),
		"parentheses":    head + "logpdf: |\n  " + lines("("),
		"sum":            head + "logpdf: |\n  " + lines("x+"),
		"calls":          head + "logpdf: |\n  " + lines(strings.Repeat("n", 60) + ".logpdf(1)+")[:60000] + "1\n",
		"foreign":        head + "logpdf: |\n  " + lines("αβ "),
		"anchors":        repeat("- &a b\n"),
		"aliases":        "- &a [b]\n" + repeat("- *a\n"),
		"expansion":      "a: &a [x, x]\n" + strings.Repeat("b: &a [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n", 1000),
		"documents":      repeat("---\n"),
		"definitions":    repeat("---\nfamily: f\n"),
		"merge":          repeat("<<: {}\n"),
		"tags":           repeat("- !a b\n"),
		"comments":       repeat("# c\n"),
		"question":       repeat("? a\n"),
		"nested":         repeat("- "),
		"nested lines":   lines("- "),
		"draws":          head + "logpdf: x\nsample:\n  noise:\n    a: normal" + strings.Repeat(" ", maxLine/2) + "(\n",
		"commas":         "a: [" + lines("(,") + "]",
		"long type":      "family: f\nvariable: {x: " + strings.Repeat("(", maxLine/2) + "}\n",
		"long name":      "family: " + strings.Repeat("f", maxLine/2) + "\n",
		"mixtures":       "package: p\ntarget: " + strings.Repeat("{mixture: ", maxLine/20) + "\n",
		"long mixture":   "package: p\ntarget: {mixture: normal, components: " + strings.Repeat("k", maxLine/2) + "}\n",
		"many starts":    "package: p\ntarget: {mixture: normal}\nstart:\n" + repeat("- {groups: none}\n"),
		"long key":       strings.Repeat("f", maxLine/2) + ": x\n",
		"long surrogate": "package: p\ntarget: normal\nsurrogate: " + strings.Repeat("f", maxLine/2) + "\nmap: {mu: 1}\n",
	}
	for name, text := range tests {
		start := time.Now()
		_, diags := Parse("hostile.yaml", []byte(text[:min(len(text), MaxFile)]), nil)
		out := diags.String()
		if d := time.Since(start); d > 10*time.Second { // what is quadratic takes minutes
			t.Errorf("%s: %v", name, d)
		} else if testing.Verbose() {
			t.Logf("%s: %v, %d diagnostics, %d bytes: %.60s", name, d, diags.Len(), len(out), out)
		}
		if !diags.HasErrors() || len(out) > 1<<18 {
			t.Errorf("%s: %d diagnostics, %d bytes", name, diags.Len(), len(out))
		}
	}
}
