package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// printMixture prints a row for each component: the parameters that are numbers, with their standard errors below, and how
// many observations it explains. Vectors and matrices follow, component by component.
func printMixture(t io.Writer, r *estimate.Report) {
	numbers, shaped, shared := perComponent(r)
	fmt.Fprint(t, "component")
	for _, p := range numbers {
		fmt.Fprintf(t, "\t%s", p.Name)
	}
	fmt.Fprintln(t, "\tobservations")
	for c := range r.Components {
		fmt.Fprint(t, c+1)
		for _, p := range numbers {
			fmt.Fprintf(t, "\t%s", resolved(p.Entries[c], errorOf(r, p.Name, c), 7))
		}
		fmt.Fprintf(t, "\t%s\n", explained(&r.Components[c]))
		if r.StdErr == nil {
			continue
		}
		fmt.Fprint(t, "std. error")
		for _, p := range numbers {
			fmt.Fprintf(t, "\t%s", standardError(errorOf(r, p.Name, c)))
		}
		fmt.Fprintln(t, "\t")
	}
	printEachShaped(t, r, shaped)
	if len(shared) > 0 {
		fmt.Fprintln(t)
		one := *r
		one.Estimate = shared
		printTable(t, &one)
	}
}

// perComponent returns the parameters of which each component has one number, others of which each has one, and those that all of
// them have in common.
func perComponent(r *estimate.Report) (numbers, shaped, shared estimate.Values) {
	for _, p := range r.Estimate {
		switch {
		case slices.Contains(r.Shared, p.Name):
			shared = append(shared, p)
		case len(p.Shape) == 1:
			numbers = append(numbers, p)
		default:
			shaped = append(shaped, p)
		}
	}
	return numbers, shaped, shared
}

// errorOf returns the standard error of a number of a component, NaN where there is none.
func errorOf(r *estimate.Report, name string, c int) float64 {
	for _, se := range r.StdErr {
		if se.Name == name {
			return se.Entries[c]
		}
	}
	return math.NaN()
}

func standardError(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.4g", x)
}

// explained says how many observations a component explains, and what is wrong with it.
func explained(c *estimate.Component) string {
	var words []string
	if rows := float64(c.Rows); !math.IsNaN(rows) {
		words = append(words, strconv.FormatFloat(rows, 'f', 1, 64))
	}
	switch {
	case c.Note == estimate.Coincides:
		words = append(words, "coincides with", list(c.With))
	case c.Note != "":
		words = append(words, c.Note)
	}
	if c.Floored {
		words = append(words, "weight at the floor")
	}
	return strings.Join(words, " ")
}

// list writes "1, 2 and 3".
func list(numbers []int) string {
	text := ""
	for i, n := range numbers {
		switch {
		case i == 0:
		case i == len(numbers)-1:
			text += " and "
		default:
			text += ", "
		}
		text += strconv.Itoa(n)
	}
	return text
}

// printEachShaped prints vectors and matrices of one component after the other, each with its standard errors below.
func printEachShaped(w io.Writer, r *estimate.Report, shaped estimate.Values) {
	k := len(r.Components)
	for c := range k {
		for _, p := range shaped {
			fmt.Fprintln(w)
			own := ofComponent(p, c, k)
			own.Name = fmt.Sprintf("component %d: %s", c+1, p.Name)
			printArray(w, own)
			for _, se := range r.StdErr {
				if se.Name == p.Name {
					printErrors(w, ofComponent(se, c, k))
				}
			}
		}
	}
}

// ofComponent cuts out what one of k components has of a parameter.
func ofComponent(v estimate.Value, c, k int) estimate.Value {
	each := len(v.Entries) / k
	return estimate.Value{Name: v.Name, Shape: v.Shape[1:], Entries: v.Entries[c*each : (c+1)*each]}
}
