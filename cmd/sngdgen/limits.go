package main

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
)

// checkLimits holds the numbers of the command line to the ranges in the tags of their flags: min and max, or above and
// below where the end itself is excluded. A flag that is not given is not checked, so that its zero stands for the default
// and one that is given as 0 is never taken for it.
func checkLimits(flags []*kong.Flag) error {
	for _, f := range flags {
		x, isNumber := numberOf(f.Target)
		if !f.Set || !isNumber {
			continue
		}
		if err := checkLimit(f, x); err != nil {
			return err
		}
	}
	return nil
}

// limits are the tags of a range: whether a number respects the end, and what it is said to be otherwise.
var limits = []struct {
	tag    string
	inside func(x, end float64) bool
	words  string
}{
	{"min", func(x, end float64) bool { return x >= end }, "at least"},
	{"above", func(x, end float64) bool { return x > end }, "greater than"},
	{"max", func(x, end float64) bool { return x <= end }, "at most"},
	{"below", func(x, end float64) bool { return x < end }, "less than"},
}

func checkLimit(f *kong.Flag, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("--%s must be a finite number, not %v", f.Name, x)
	}
	for _, l := range limits {
		text := f.Tag.Get(l.tag)
		if text == "" {
			continue
		}
		if !l.inside(x, parseLimit(text)) {
			return fmt.Errorf("--%s must be %s %s, not %v", f.Name, l.words, text, f.Target)
		}
	}
	return nil
}

// parseLimit reads a number, or a duration as its nanoseconds.
func parseLimit(text string) float64 {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic("limit of a flag: " + err.Error()) // a test reads them all
	}
	return float64(d)
}

// numberOf returns the value of a flag that is a number.
func numberOf(v reflect.Value) (x float64, ok bool) {
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}
