package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

type manCmd struct{}

// Run prints the manual page, in the macros of man(7).
func (*manCmd) Run(s *session) error {
	_, err := io.WriteString(s.out, manual(newParser(new(commands), io.Discard, io.Discard).Model))
	return err
}

// roff escapes a text.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// manual has a section for all commands, with their flags and texts.
func manual(model *kong.Application) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH SNGDGEN 1 \"\" %q \"User Commands\"\n.SH NAME\nsngdgen \\- %s\n", "sngdgen "+version(), roff("generate and run optimisers by surrogate natural gradients"))
	b.WriteString(".SH SYNOPSIS\n.B sngdgen\n.I command\n[\\fIflags\\fR] \\fIarguments\\fR\n.SH DESCRIPTION\n")
	b.WriteString(roff(description) + "\n.SH COMMANDS\n")
	for _, c := range model.Leaves(true) {
		fmt.Fprintf(&b, ".SS %s\n%s\n.PP\n", roff(strings.TrimSpace(c.Summary())), roff(c.Help))
		writeDetail(&b, c.Detail)
		for _, f := range c.Flags {
			if f.Hidden {
				continue
			}
			name := "--" + f.Name
			if !f.IsBool() {
				name += "=" + f.FormatPlaceHolder()
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(name), roff(f.Help))
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", e.code, roff(e.means))
	}
	b.WriteString(".SH ENVIRONMENT\n")
	for _, e := range environment {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(e.name), roff(e.means))
	}
	return b.String()
}

// writeDetail writes a text, with its examples as they are.
func writeDetail(b *strings.Builder, text string) {
	before, examples, ok := strings.Cut(text, "Examples:\n")
	if before = strings.TrimSpace(before); before != "" {
		fmt.Fprintf(b, "%s\n.PP\n", roff(before))
	}
	if ok {
		fmt.Fprintf(b, "Examples:\n.PP\n.nf\n.RS\n%s\n.RE\n.fi\n", roff(strings.TrimRight(examples, "\n")))
	}
}
