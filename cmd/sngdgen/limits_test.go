package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestLimits walks all flags that are numbers: each has a range, and what is outside of it is a usage error that names the
// flag. Seeds are free.
func TestLimits(t *testing.T) {
	parser := newParser(new(commands), io.Discard, io.Discard)
	for _, command := range parser.Model.Leaves(false) {
		for _, f := range command.Flags {
			if _, isNumber := numberOf(f.Target); !isNumber || f.Name == "seed" {
				continue
			}
			outside := 0
			for _, value := range outsideOf(f) {
				outside++
				var errw bytes.Buffer
				args := []string{command.Name, fmt.Sprintf("--%s=%s", f.Name, value)}
				for _, p := range command.Positional {
					if p.Required {
						args = append(args, "normal")
					}
				}
				if code := run(args, strings.NewReader(""), io.Discard, &errw); code != exitUsage ||
					!strings.Contains(errw.String(), "--"+f.Name) {
					t.Errorf("%v: exit code %d, %s", args, code, errw.String())
				}
			}
			if outside == 0 {
				t.Errorf("%s --%s has no range", command.Name, f.Name)
			}
		}
	}
}

// outsideOf returns values that a flag must refuse.
func outsideOf(f *kong.Flag) (values []string) {
	unit := ""
	if strings.HasSuffix(f.Target.Type().String(), "Duration") {
		unit = "ns"
	}
	add := func(x float64) { values = append(values, fmt.Sprintf("%.17g%s", x, unit)) }
	for _, l := range limits {
		text := f.Tag.Get(l.tag)
		if text == "" {
			continue
		}
		switch end := parseLimit(text); l.tag {
		case "min":
			add(end - 1)
		case "max":
			add(end + 1)
		default:
			add(end)
		}
	}
	if f.Target.CanFloat() && len(values) > 0 {
		values = append(values, "NaN", "Inf", "-inf")
	}
	return values
}

// TestCheckLimit: the ends of ranges are inside or outside as their tags say.
func TestCheckLimit(t *testing.T) {
	for _, c := range []struct {
		tag    string
		x      float64
		inside bool
	}{
		{"min", 1, true}, {"min", 0.5, false}, {"above", 1, false}, {"above", 1.5, true}, {"max", 1, true}, {"max", 2, false},
		{"below", 1, false}, {"below", 0, true}, {"min", math.Inf(1), true},
	} {
		for _, l := range limits {
			if l.tag == c.tag && l.inside(c.x, 1) != c.inside {
				t.Errorf("%s=1: %v is not inside: %v", c.tag, c.x, c.inside)
			}
		}
	}
}
