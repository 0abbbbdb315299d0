package main

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestParseAlone: a command by itself, with the flags that are given alone, is read as it is among the others, whichever flags are given.
func TestParseAlone(t *testing.T) {
	model := newParser(new(commands), io.Discard, io.Discard).Model
	var names []string
	for _, c := range model.Leaves(true) {
		names = append(names, c.Name)
		args := []string{c.Name}
		for _, p := range c.Positional {
			if p.Required {
				args = append(args, "bash")
			}
		}
		checkAlone(t, args)
		for _, f := range slices.Concat(c.Flags, model.Flags) {
			for _, name := range append(f.Aliases, f.Name) {
				if name != "help" && name != "version" {
					checkAlone(t, append(args, "--"+name+valueOf(f)))
				}
			}
			if f.Short != 0 && f.Name != "help" {
				checkAlone(t, append(args, "-"+string(f.Short)+"x"))
			}
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

// checkAlone compares what is read of a command line in both ways.
func checkAlone(t *testing.T, args []string) {
	t.Helper()
	var alone, all commands
	a := parseAlone(&alone, args)
	b, err := newParser(&all, io.Discard, io.Discard).Parse(args)
	named := func(c *commands) any { // the command with its flags
		return reflect.ValueOf(c).Elem().FieldByNameFunc(func(name string) bool { return strings.ToLower(name) == args[0] }).Interface()
	}
	if err != nil || a == nil || a.Command() != b.Command() || alone.Quiet != all.Quiet || !reflect.DeepEqual(named(&alone), named(&all)) {
		t.Errorf("%v is not what it is with the other commands, which say %v", args, err)
		return
	}
	set := func(flags []*kong.Flag) (names []string) {
		for _, f := range flags {
			if f.Set && !f.Target.IsZero() { // others have a default that is nothing
				names = append(names, f.Name)
			}
		}
		return names
	}
	if !slices.Equal(set(a.Flags()), set(b.Flags())) {
		t.Errorf("%v: flags are %v alone, and %v", args, set(a.Flags()), set(b.Flags()))
	}
}

// valueOf is a value that a flag may have.
func valueOf(f *kong.Flag) string {
	switch {
	case f.IsBool():
		return ""
	case f.Enum != "":
		return "=" + f.EnumSlice()[len(f.EnumSlice())-1]
	case strings.HasSuffix(f.Target.Type().String(), "Duration"):
		return "=2s"
	case strings.HasPrefix(f.Target.Type().String(), "map"):
		return "=a=b"
	}
	return "=7"
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
