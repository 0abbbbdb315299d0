package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// methodNames are the methods in words.
var methodNames = map[string]string{
	"exact":  "surrogate natural gradient descent without draws",
	"ep":     "expectation propagation",
	"saa":    "surrogate natural gradient descent on a sample average",
	"sngd":   "surrogate natural gradient descent",
	"nlbfgs": "natural L-BFGS",
	"gd":     "gradient descent",
	"adam":   "Adam",
	"bfgs":   "BFGS",
	"lbfgs":  "L-BFGS",
	"cg":     "conjugate gradients",
	"newton": "Newton",
	"ngd":    "natural gradient descent under the target",
	"ngd-g":  "natural gradient descent under the target, in the coordinates of the surrogate",
}

// fittedBy names the target, and the surrogate by which it is fitted where there is one.
func fittedBy(target, surrogate string) string {
	if surrogate == spec.NoSurrogate {
		return target
	}
	return target + " by " + surrogate
}

// printReport prints a fit for a reader.
func printReport(w io.Writer, r *estimate.Report) error {
	fmt.Fprintf(w, "%s, %s\n\n", fittedBy(r.Target, r.Surrogate), methodName(r))
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	if r.Components != nil {
		printMixture(t, r)
		if q := r.Reported; q != nil {
			fmt.Fprintln(t)
			printTable(t, &estimate.Report{Estimate: q.Values, StdErr: q.StdErr, Interval: q.Interval, Level: r.Level})
		}
	} else {
		printTable(t, r.Whole())
	}
	fmt.Fprintf(t, "\nlog-likelihood\t%s\n", digits(float64(r.LogLikelihood)))
	if r.Penalised {
		fmt.Fprintf(t, "penalty\t%s (subtracted)\n", digits(float64(r.Penalty)))
	}
	for _, l := range r.Limits {
		fmt.Fprintf(t, "at infinity\t%s (%s)\n", atInfinity(&l), l.Name)
	}
	if !math.IsNaN(float64(r.AIC)) {
		fmt.Fprintf(t, "AIC\t%s\n", digits(float64(r.AIC)))
		fmt.Fprintf(t, "BIC\t%s\n", digits(float64(r.BIC)))
	}
	if r.ICL != 0 {
		fmt.Fprintf(t, "ICL\t%s\n", digits(float64(r.ICL)))
		fmt.Fprintf(t, "entropy\t%s\n", digits(float64(r.Entropy)))
	}
	fmt.Fprintf(t, "n\t%s\n", size(r))
	for _, d := range r.Dimensions {
		fmt.Fprintf(t, "%s\t%d\n", d.Name, d.Len)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	printCourse(t, r)
	printOptima(t, r)
	printAlternatives(t, r)
	if s := r.Separation; s != nil {
		fmt.Fprintf(t, "separation\t%s\n", grows(s, r.Labels))
	}
	fmt.Fprintf(t, "stopped\t%s\n", stopped(r))
	fmt.Fprintf(t, "time\t%s\n", duration(r.Seconds))
	return t.Flush()
}

// grows says which coefficients go to infinity, and in which ratio.
func grows(s *estimate.Separation, labels map[string][]string) string {
	var goes, ratio []string
	names, ratios := s.Grows()
	for i, x := range ratios {
		to := "infinity"
		if x < 0 {
			to = "minus infinity"
		}
		goes, ratio = append(goes, labelled(names[i], labels)+" goes to "+to), append(ratio, fmt.Sprintf("%.3g", x))
	}
	out := strings.Join(goes, ", ")
	if len(ratio) > 1 {
		out += ", as " + strings.Join(ratio, " : ")
	}
	return out
}

// printCourse says how many steps were taken.
func printCourse(t io.Writer, r *estimate.Report) {
	c := r.Course
	if c == nil {
		fmt.Fprintf(t, "iterations\t%d (%s)\n", r.Iterations, plural(r.Evaluations, "evaluation"))
		return
	}
	fmt.Fprintf(t, "steps\t%d (%s epochs)\n", r.Iterations, digits(c.Epochs))
	fmt.Fprintf(t, "mean loss\t%s over all rows\n", digits(float64(r.Loss)))
	fmt.Fprintf(t, "batches\t%s, %s\n", plural(c.Batch, "row"), c.Sampling)
	if c.RollBacks > 0 {
		fmt.Fprintf(t, "went back\t%s: the steps led out of the domain\n", plural(c.RollBacks, "time"))
	}
}

// stopped says why the run ended, in as few words as possible.
func stopped(r *estimate.Report) string {
	status := r.Status.String()
	if strings.HasPrefix(r.Message, status) {
		return r.Message
	}
	return status + ": " + r.Message
}

func methodName(r *estimate.Report) string {
	name := methodNames[r.Method]
	if name == "" {
		name = r.Method
	}
	if r.LineSearch != "" {
		name += " with line search " + r.LineSearch
	}
	return name
}

// printTable prints numbers in a table, and vectors and matrices below.
func printTable(t io.Writer, r *estimate.Report) {
	printEstimates(t, r)
	printShaped(t, r)
}

// printEstimates prints a row for each parameter that is a number; what could not be computed has no column.
func printEstimates(t io.Writer, r *estimate.Report) {
	if !slices.ContainsFunc(r.Estimate, func(p estimate.Value) bool { return inTable(r, p) }) {
		return
	}
	fmt.Fprint(t, "parameter\testimate")
	if r.StdErr != nil {
		fmt.Fprint(t, "\tstd. error")
	}
	if r.Interval != nil {
		fmt.Fprintf(t, "\t%v%% interval", math.Round(1e8*r.Level)/1e6)
	}
	fmt.Fprintln(t)
	for _, p := range r.Estimate {
		switch {
		case p.Shape == nil:
			printEstimate(t, r, p.Name, p.Value, r.StdErr.Get(p.Name), intervalOf(r, p.Name, -1))
		case inTable(r, p):
			errors := make([]float64, len(p.Entries))
			for i := range errors {
				errors[i] = math.NaN()
			}
			for _, se := range r.StdErr {
				if se.Name == p.Name {
					errors = se.Entries
				}
			}
			for i, label := range r.Labels[p.Name] {
				printEstimate(t, r, p.Name+"["+label+"]", p.Entries[i], errors[i], intervalOf(r, p.Name, i))
			}
		}
	}
}

// inTable reports whether a parameter has rows of the table of numbers: a number has, and a vector whose entries have names.
func inTable(r *estimate.Report, p estimate.Value) bool {
	return p.Shape == nil || len(p.Shape) == 1 && len(r.Labels[p.Name]) == len(p.Entries)
}

// printEstimate prints the row of a number.
func printEstimate(t io.Writer, r *estimate.Report, name string, x, se float64, interval string) {
	fmt.Fprintf(t, "%s\t%s", name, resolved(x, se, 7))
	switch {
	case r.StdErr == nil:
	case math.IsNaN(se):
		fmt.Fprint(t, "\tknown")
	default:
		fmt.Fprintf(t, "\t%.4g", se)
	}
	if r.Interval != nil {
		fmt.Fprintf(t, "\t%s", interval)
	}
	fmt.Fprintln(t)
}

// printShaped prints the parameters that are vectors and matrices, each with its standard errors below.
func printShaped(w io.Writer, r *estimate.Report) {
	above := slices.ContainsFunc(r.Estimate, func(p estimate.Value) bool { return inTable(r, p) })
	for _, p := range r.Estimate {
		if inTable(r, p) {
			continue
		}
		if above {
			fmt.Fprintln(w)
		}
		above = true
		printArrays(w, estimate.Values{p})
		for _, se := range r.StdErr {
			if se.Name == p.Name {
				printErrors(w, se)
			}
		}
	}
}

// printErrors prints standard errors in the places of the entries above them, a dash where an entry cannot vary. Matrices
// that are too large to be shown have none but in JSON.
func printErrors(w io.Writer, se estimate.Value) {
	rows, columns := 1, se.Shape[0]
	if len(se.Shape) == 2 {
		if rows, columns = se.Shape[0], se.Shape[1]; max(rows, columns) > shownEntries {
			return
		}
	}
	shown := make([][]string, rows)
	for i := range shown {
		for _, j := range kept(columns) {
			switch {
			case j < 0:
				shown[i] = append(shown[i], "...")
			case math.IsNaN(se.Entries[i*columns+j]):
				shown[i] = append(shown[i], "-")
			default:
				shown[i] = append(shown[i], fmt.Sprintf("%.4g", se.Entries[i*columns+j]))
			}
		}
	}
	fmt.Fprintln(w, "std. errors")
	printAligned(w, shown)
}

// intervalOf prints the interval of a parameter that is a number, entry -1, or of an entry of a vector; nothing when it is known.
func intervalOf(r *estimate.Report, name string, entry int) string {
	for _, i := range r.Interval {
		if i.Name != name {
			continue
		}
		low, high := i.Low, i.High
		if entry >= 0 {
			low, high = i.Lows[entry], i.Highs[entry]
		}
		return resolved(low, high-low, 5) + " to " + resolved(high, high-low, 5)
	}
	return ""
}

// resolved prints at least so many significant digits, and three more than it takes to see a change by scale.
func resolved(x, scale float64, least int) string {
	if math.IsNaN(scale) {
		return digits(x)
	}
	if more := 3 + math.Ceil(math.Log10(math.Abs(x)/scale)); more > float64(least) && more <= 15 {
		least = int(more)
	}
	return strconv.FormatFloat(x, 'g', least, 64)
}

// shownOptima is how many optima are listed.
const shownOptima = 5

// printOptima says where several starts led to.
func printOptima(t io.Writer, r *estimate.Report) {
	label := "optima"
	if r.Course != nil {
		label = "ends" // optima they are but nearly
	}
	for i, o := range r.Optima {
		if i > 0 {
			label = ""
		}
		if i == shownOptima {
			fmt.Fprintf(t, "%s\tand %d more\n", label, len(r.Optima)-i)
			return
		}
		doubt := ""
		if !o.Examined && r.Course == nil {
			doubt = " (not examined)"
		}
		fmt.Fprintf(t, "%s\tmean loss %s from %s%s\n", label, digits(float64(o.Loss)), startsOf(&o), doubt)
	}
}

// printAlternatives names the optima that a reader may prefer.
func printAlternatives(t io.Writer, r *estimate.Report) {
	for _, a := range r.Alternatives {
		by := digits(math.Abs(float64(a.LogLikelihood - r.LogLikelihood)))
		switch a.Kind {
		case estimate.BetterSupported:
			fmt.Fprintf(t, "better supported\tlog-likelihood %s, %s lower, with %.3g observations or more in each component\n",
				digits(float64(a.LogLikelihood)), by, float64(a.Rows))
		case estimate.Higher:
			fmt.Fprintf(t, "higher\tlog-likelihood %s, %s higher, with a component of %.3g observations\n",
				digits(float64(a.LogLikelihood)), by, float64(a.Rows))
		}
	}
}

// shownStarts is how many starts of an optimum are listed.
const shownStarts = 5

// startsOf counts and lists the starts that led to an optimum.
func startsOf(o *estimate.Optimum) string {
	text := plural(o.Count, "start")
	if o.Count > shownStarts {
		return text
	}
	for i, s := range o.Starts {
		text += fmt.Sprintf("%s%d", []string{": ", ", "}[min(i, 1)], s)
	}
	return text
}

// size describes the data.
func size(r *estimate.Report) string {
	distinct := ""
	if r.Distinct < r.Rows {
		distinct = fmt.Sprintf("%d distinct", r.Distinct)
	}
	switch {
	case r.N != float64(r.Rows) && distinct != "":
		return fmt.Sprintf("%s (weights of %s, %s)", digits(r.N), plural(r.Rows, "row"), distinct)
	case r.N != float64(r.Rows):
		return fmt.Sprintf("%s (weights of %s)", digits(r.N), plural(r.Rows, "row"))
	case distinct != "":
		return fmt.Sprintf("%d (%s)", r.Rows, distinct)
	}
	return fmt.Sprint(r.Rows)
}

// atInfinity prints the supremum of the likelihood at infinity, or what was found of it.
func atInfinity(l *estimate.AtInfinity) string {
	switch {
	case l.Unbounded != "":
		return "without bound, as " + l.Unbounded
	case l.Abandoned:
		return digits(float64(l.LogLikelihood)) + " or more, not searched to the end"
	}
	return digits(float64(l.LogLikelihood))
}

// digits prints seven significant digits, and more of them before it comes to an exponent.
func digits(x float64) string {
	if a := math.Abs(x); a >= 1e6 && a < 1e15 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'g', 7, 64)
}

// duration prints seconds as a reader expects them.
func duration(seconds float64) string {
	switch {
	case seconds < 1e-3:
		return fmt.Sprintf("%.3g µs", 1e6*seconds)
	case seconds < 1:
		return fmt.Sprintf("%.3g ms", 1e3*seconds)
	case seconds < 120:
		return fmt.Sprintf("%.3g s", seconds)
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
