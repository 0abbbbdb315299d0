package main

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestParseAlone: a command by itself is read as it is among the others, with the same flags.
func TestParseAlone(t *testing.T) {
	model := newParser(new(commands), io.Discard, io.Discard).Model
	var names []string
	for _, c := range model.Leaves(true) {
		names = append(names, c.Name)
		args := []string{c.Name, "--quiet"}
		for _, p := range c.Positional {
			if p.Required {
				args = append(args, "bash")
			}
		}
		var alone, all commands
		a := parseAlone(&alone, args)
		b, err := newParser(&all, io.Discard, io.Discard).Parse(args)
		if err != nil || a == nil || a.Command() != b.Command() || len(a.Flags()) != len(b.Flags()) || alone.Quiet != all.Quiet ||
			!reflect.DeepEqual(a.Selected().Target.Interface(), b.Selected().Target.Interface()) {
			t.Errorf("%v is not what it is with the other commands, which say %v", args, err)
		}
	}
	if !slices.Equal(names, commandNames()) {
		t.Errorf("commands are %v, or %v", names, commandNames())
	}
	for _, args := range [][]string{{"fit", "--help"}, {"--help"}, {"nothing"}, {"fit", "--nothing"}, {"--quiet"}, {"--quiet", "fit"}} {
		if parseAlone(new(commands), args) != nil {
			t.Errorf("%v is read without the other commands", args)
		}
	}
}

// TestVersionFlag: the version is printed wherever it is asked for, whatever else is there.
func TestVersionFlag(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"--quiet", "--version"}, {"fit", "--version"}, {"fit", "--nothing", "--version"}, {"spec.yaml", "--version"}} {
		var out strings.Builder
		parsed, err := parse(new(commands), args, &out, io.Discard)
		if parsed != nil || (err != nil) != slices.Contains(args, "--nothing") || err == nil && out.String() != fullVersion()+"\n" {
			t.Errorf("%v: %q, %v", args, out.String(), err)
		}
	}
}
