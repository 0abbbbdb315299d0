package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every command has a text with examples, in which flags are those of the commands, and there is no text without a command.
func TestHelpTexts(t *testing.T) {
	model := newParser(new(commands), io.Discard, io.Discard).Model
	flag := regexp.MustCompile(`--[a-z][a-z-]*`)
	leaves := model.Leaves(true)
	flags := map[string]string{}
	for _, c := range leaves {
		for _, f := range c.Flags {
			flags[c.Name] += " --" + f.Name + " "
		}
	}
	for _, c := range leaves {
		if !strings.Contains(c.Detail, "Examples:\n  ") {
			t.Errorf("%s has no examples", c.Name)
		}
		for line := range strings.Lines(c.Detail) {
			words := strings.Fields(line)
			if len(words) < 2 || words[0] != "sngdgen" {
				continue
			}
			for _, f := range flag.FindAllString(line, -1) {
				if !strings.Contains(flags[words[1]], " "+f+" ") && f != "--version" {
					t.Errorf("%s: %s has no flag %s", c.Name, words[1], f)
				}
			}
		}
	}
	files, err := helpTexts.ReadDir("help")
	if err != nil || len(files) != len(leaves) {
		t.Errorf("%d texts for %d commands (%v)", len(files), len(leaves), err)
	}
}

// The exit codes are those of README.md and of the manual, and nothing that is printed has colours.
func TestExitCodesDocumented(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	command, err := os.ReadFile("../../docs/command.md")
	if err != nil {
		t.Fatal(err)
	}
	page := manual(newParser(new(commands), io.Discard, io.Discard).Model)
	for _, e := range exitCodes {
		code := regexp.MustCompile(`(?m)^\.B ` + string(rune('0'+e.code%10)))
		if e.code < 10 && !code.MatchString(page) {
			t.Errorf("the manual does not say what %d means", e.code)
		}
		if row := fmt.Sprintf("| %d | %s |", e.code, e.means); !strings.Contains(strings.ReplaceAll(string(command), "`", ""), row) {
			t.Errorf("docs/command.md has no row %s", row)
		}
	}
	if !strings.Contains(string(readme), "130 after Ctrl-C") {
		t.Error("README.md does not say what 130 means")
	}
	var out bytes.Buffer
	run([]string{"--help"}, strings.NewReader(""), &out, &out)
	run([]string{"list"}, strings.NewReader(""), &out, &out)
	if strings.Contains(out.String(), "\x1b") {
		t.Error("colours")
	}
}

// No line of a help is wider than the terminal that COLUMNS says, nor than 80 where nothing says it.
func TestWidths(t *testing.T) {
	for _, c := range newParser(new(commands), io.Discard, io.Discard).Model.Leaves(true) {
		var out bytes.Buffer
		run([]string{c.Name, "--help"}, strings.NewReader(""), &out, &out)
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 && !strings.HasPrefix(line, "    ") && !strings.Contains(line, "--") {
				t.Errorf("%s: a line of %d letters: %s", c.Name, n, line)
			}
		}
	}
}
