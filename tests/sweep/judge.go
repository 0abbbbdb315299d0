package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// report is what sngdgen fit --json says, as far as it is judged.
type report struct {
	Status        string          `json:"status"`
	Converged     bool            `json:"converged"`
	Message       string          `json:"message"`
	LogLikelihood *float64        `json:"log_likelihood"` // nil where it is not finite
	Parameters    json.RawMessage `json:"parameters"`
	Limits        []limit         `json:"limits"`
	Warnings      []string        `json:"warnings"`
}

// limit is a line of the report about the supremum at infinity.
type limit struct {
	Name          string   `json:"name"`
	LogLikelihood *float64 `json:"log_likelihood"`
	Abandoned     bool     `json:"abandoned"` // not searched to the end: the supremum may be higher
}

const atInfinity = "estimate at infinity"

// supremum is the highest that the report names: its log-likelihood or that of a limit. known is false where a limit was given up.
func (r *report) supremum() (highest float64, known bool) {
	highest, known = math.Inf(-1), true
	if r.LogLikelihood != nil {
		highest = *r.LogLikelihood
	}
	for _, l := range r.Limits {
		known = known && !l.Abandoned
		if l.LogLikelihood != nil {
			highest = max(highest, *l.LogLikelihood)
		}
	}
	for _, w := range r.Warnings { // where there are no limits by name, as of mixtures
		if found := higherThere.FindStringSubmatch(w); found != nil {
			if value, err := strconv.ParseFloat(found[1], 64); err == nil {
				highest = max(highest, value)
			}
		}
	}
	return highest, known
}

var higherThere = regexp.MustCompile(`no global maximum: as .* the log-likelihood (?:comes|tends) to ([-+.0-9e]*[0-9])`)

// namesSupremum says whether the report claims to know the supremum: that it is unbounded, or was not found, is a verdict of its own.
func (r *report) namesSupremum() bool {
	_, known := r.supremum()
	return known && (r.Converged && !r.warns("grows without bound") || r.Status == atInfinity && strings.Contains(r.Message, "the supremum that was found"))
}

// atLimits is the highest of the limits, minus infinity without any.
func (r *report) atLimits() float64 {
	highest := math.Inf(-1)
	for _, l := range r.Limits {
		if l.LogLikelihood != nil {
			highest = max(highest, *l.LogLikelihood)
		}
	}
	return highest
}

// warnsOfInfinity says whether the report, which has a maximum, says that it is not the global one.
func (r *report) warnsOfInfinity() bool { return r.warns("no global maximum") }

func (r *report) warns(of string) bool {
	return slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, of) })
}

// How far numbers may differ, in total log-likelihood.
const (
	allowed     = 1e-3
	containing  = 0.01 // below a contained family
	far         = 1e8  // shapes, from where a distribution is its limit but for rounding
	againstBase = 1e-6 // relative
	plain       = 1e-9 // a scale in standard deviations at which nobody needs to ask for the digits
)

// decode returns the report of a run, or what is wrong with how it ended.
func decode(r *ran) (*report, string) {
	if r == nil {
		return nil, "not run"
	}
	said := firstLine(r.Faults)
	switch {
	case r.TimedOut:
		return nil, "ended by the time limit"
	case strings.Contains(r.Faults, "panic:") || strings.Contains(r.Faults, "goroutine "):
		return nil, "panic: " + said
	case r.Exit != 0 && r.Exit != 1:
		return nil, fmt.Sprintf("exit code %d: %s", r.Exit, said)
	case strings.TrimSpace(r.Out) == "" && r.Exit == 1 && said != "":
		return nil, "refused: " + said
	case strings.TrimSpace(r.Out) == "":
		return nil, "nothing was printed"
	}
	answer := new(report)
	if err := json.Unmarshal([]byte(r.Out), answer); err != nil {
		return nil, "no JSON: " + err.Error()
	}
	if answer.Converged != (r.Exit == 0) {
		return nil, fmt.Sprintf("exit code %d of a fit with converged: %v", r.Exit, answer.Converged)
	}
	if answer.Converged && (answer.LogLikelihood == nil || strings.Contains(string(answer.Parameters), "null")) {
		return nil, "converged with an estimate that is not finite"
	}
	return answer, ""
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// check is a thing that is checked, in the order of how badly a user is misled.
type check struct{ Name, Says string }

var (
	notLocal     = check{"no local maximum", "converged, but SciPy climbs from the reported parameters"}
	higherOut    = check{"higher further out", "converged, but SciPy climbs higher with the shapes moved outward, and above every limit that the report names"}
	farOut       = check{"far out", "converged, with a shape (nu or r, of a component too) above 1e8, where the distribution is its limit but for rounding: no maximum"}
	elsewhere    = check{"higher elsewhere", "a maximum or a supremum, but SciPy climbs higher from starts of its own"}
	belowNested  = check{"below a contained family", "what the report says of the supremum is below a fit of a family that is contained"}
	supremumLow  = check{"supremum too low", "no maximum was found, and the supremum that is named is below the log-likelihood of the run"}
	unbounded    = check{"supremum of an unbounded likelihood", "a finite supremum is named, but on equal values the likelihood is higher at a point that is given"}
	densities    = check{"log-likelihood", "the reported one is not SciPy's at the reported parameters"}
	silent       = check{"silent about infinity", "converged, with a limit above, or a point on equal values, but no warning that there is no global maximum"}
	faults       = check{"faults", "panic, exit code, output, time limit, data refused"}
	noVerdict    = check{"no verdict", "the fit failed, or a limit of the search ended it (a collapsed component is a verdict)"}
	notFound     = check{"supremum not found", "no maximum, and the report says that the supremum was given up or not found"}
	differs      = check{"differs from the other version", "another status, or converged lower"}
	allChecks    = []check{notLocal, higherOut, farOut, elsewhere, belowNested, supremumLow, unbounded, densities, silent, faults, noVerdict, notFound, differs}
	listedInFull = 40 // of a check in the table
)

// finding is a job that fails a check. Findings of a check are listed by their size.
type finding struct {
	Check check
	Job   *job
	Text  string
	Size  float64
}

// judge returns what fails.
func (s *sweep) judge() (found []finding) {
	reports := map[string]*report{}
	for _, j := range s.jobs {
		r, fault := decode(s.said[j.Key()])
		if fault != "" {
			found = append(found, finding{faults, j, fault, 0})
			continue
		}
		reports[j.Key()] = r
	}
	for _, j := range s.jobs {
		if r := reports[j.Key()]; r != nil {
			found = append(found, judgeOne(j, r, s.refined[j.Key()])...)
			found = append(found, judgeNested(j, r, reports)...)
			found = append(found, judgeTies(j, r)...)
		}
		found = append(found, s.judgeVersions(j, reports[j.Key()])...)
	}
	return found
}

// judgeOne looks at a report by itself, and at what SciPy found from there, if it was asked.
func judgeOne(j *job, r *report, by *refined) (found []finding) {
	add := func(c check, size float64, format string, args ...any) {
		found = append(found, finding{c, j, fmt.Sprintf(format, args...), size})
	}
	limits := r.atLimits()
	if !r.Converged && r.Status != atInfinity && r.Status != "collapsed" {
		add(noVerdict, 0, "%s: %s", r.Status, shortened(r.Message))
	}
	if r.Status == atInfinity && len(r.Limits) > 0 && !strings.Contains(r.Message, "without bound") {
		switch own := r.LogLikelihood; {
		case !r.namesSupremum() || math.IsInf(limits, -1):
			add(notFound, 0, "%s", shortened(r.Message))
		case own != nil && limits < *own-allowed:
			add(supremumLow, *own-limits, "supremum %.6g, log-likelihood %.6g", limits, *own)
		}
	}
	if name, value := largestShape(r.Parameters); r.Converged && value > far {
		add(farOut, math.Log10(value), "%s at %.7g, %s = %.3g", r.Status, *r.LogLikelihood, name, value)
	}
	if r.Converged && limits > *r.LogLikelihood+containing && !r.warnsOfInfinity() {
		add(silent, limits-*r.LogLikelihood, "%.6g, at infinity %.6g", *r.LogLikelihood, limits)
	}
	if by == nil {
		return found
	}
	return append(found, judgeRefined(j, r, by)...)
}

// judgeRefined compares with SciPy. What it finds below a limit that the report names, the reader has been told.
func judgeRefined(j *job, r *report, by *refined) []finding {
	if by.Unknown {
		return nil
	}
	if by.Fault != "" {
		return []finding{{faults, j, "SciPy: " + by.Fault, 0}}
	}
	above, _ := r.supremum()
	if r.Converged {
		if found := judgeFollowed(j, r, by, above); len(found) > 0 {
			return found
		}
	}
	if by.Elsewhere == nil || !r.namesSupremum() || math.IsInf(above, -1) || *by.Elsewhere <= above+allowed {
		return nil
	}
	gain := *by.Elsewhere - above
	return []finding{{elsewhere, j, fmt.Sprintf("%s at %.7g, SciPy finds %.4g more at %s", r.Status, above, gain, by.ElsewhereAt), gain}}
}

// judgeFollowed is about a maximum, and what SciPy gains from there.
func judgeFollowed(j *job, r *report, by *refined, above float64) []finding {
	own := *r.LogLikelihood
	switch {
	case math.Abs(by.There-own) > allowed+1e-9*math.Abs(own):
		return []finding{{densities, j, fmt.Sprintf("%.9g, by SciPy %.9g", own, by.There), math.Abs(by.There - own)}}
	case by.Near > allowed:
		return []finding{{notLocal, j, fmt.Sprintf("%s at %.7g, SciPy climbs by %.4g to %s", r.Status, own, by.Near, by.NearAt), by.Near}}
	case by.There+by.Far > above+allowed:
		return []finding{{higherOut, j, fmt.Sprintf("%s at %.7g, SciPy finds %.4g more: %s", r.Status, own, by.Far, by.FarAt), by.Far}}
	}
	return nil
}

// largestShape is the largest number of the parameters that makes a distribution tend to a limit, of all components.
func largestShape(parameters json.RawMessage) (name string, largest float64) {
	var values any
	if json.Unmarshal(parameters, &values) != nil {
		return "", 0
	}
	var look func(key string, v any)
	look = func(key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, inner := range v {
				look(k, inner)
			}
		case []any:
			for _, inner := range v {
				look(key, inner)
			}
		case float64:
			if (key == "nu" || key == "r") && v > largest {
				name, largest = key, v
			}
		}
	}
	look("", values)
	return name, largest
}

// contained lists for a family those that it contains.
var contained = map[string][]string{
	"studentt": {"normal"}, "skewnormal": {"normal", "mvnormal"}, "skewt": {"normal", "studentt", "skewnormal", "mvnormal", "mvstudentt"},
	"mvstudentt": {"mvnormal"}, "tcopula": {"gaussiancopula"}, "normalmix2": {"normal"}, "normalmix3": {"normalmix2"},
	"negbinmix2": {"negbin"}, "negbinmix3": {"negbinmix2"}, "gammamix2": {"gamma"}, "gammamix3": {"gammamix2"},
	"mvnormal": {"factoranalysis"}, "mvnormalmix2": {"mvnormal"}, "mvstudenttmix2": {"mvstudentt", "mvnormalmix2"}, "skewnormalmix2": {"skewnormal", "mvnormalmix2"},
	"beta": {"beta_mean~1"}, "beta_mean~1": {"beta"}, "student_t~x": {"normal~x"}, "normalhmm": {"normal"}, "garch": {"normal"},
	"negbin": {"poisson~1"}, "zero_inflated_poisson~1": {"poisson~1"}, "hurdle_poisson~1": {"zero_inflated_poisson~1"},
	"zero_inflated_negative_binomial~1": {"zero_inflated_poisson~1", "negbin"}, "negative_binomial_mean~x": {"poisson~x"}, "zero_inflated_poisson~x": {"poisson~x"},
}

// judgeNested compares with fits of contained families to the same file, whatever of a maximum or a supremum is claimed. What a fit had on
// its way to infinity is a likelihood of the family, too.
func judgeNested(j *job, r *report, reports map[string]*report) (found []finding) {
	claimed, _ := r.supremum()
	if !r.namesSupremum() || math.IsInf(claimed, -1) {
		return nil
	}
	for _, family := range contained[j.Label()] {
		inner := reports[family+"@"+j.file.Name]
		if inner == nil || !inner.Converged && inner.Status != atInfinity || inner.LogLikelihood == nil || *inner.LogLikelihood <= claimed+containing {
			continue
		}
		below := *inner.LogLikelihood - claimed
		found = append(found, finding{belowNested, j, fmt.Sprintf("%s at %.7g, %s (%s) has %.4g more", r.Status, claimed, family, inner.Status, below), below})
	}
	return found
}

// judgeTies looks for points that are higher than a supremum that is claimed, or than a maximum without a warning, where the scale goes to 0 on equal values.
func judgeTies(j *job, r *report) []finding {
	claimed, _ := r.supremum()
	if !contractible(j.Family) || !r.namesSupremum() || math.IsInf(claimed, -1) {
		return nil
	}
	_, rows, err := read(j.file.Path)
	if err != nil {
		return []finding{{faults, j, err.Error(), 0}}
	}
	p := contractedAbove(rows, claimed+allowed)
	of := unbounded
	if r.Converged && !r.warnsOfInfinity() {
		of = silent
	}
	if p == nil || of == silent && p.scale < plain {
		return nil
	}
	return []finding{{of, j, fmt.Sprintf("%s at %.6g, but %s", r.Status, claimed, p), float64(p.equal) / float64(len(rows))}}
}

// judgeVersions compares with the other version.
func (s *sweep) judgeVersions(j *job, r *report) []finding {
	if s.base == "" {
		return nil
	}
	b, fault := decode(s.before[j.Key()])
	switch {
	case b == nil && r == nil:
		return nil
	case b == nil:
		return []finding{{differs, j, fmt.Sprintf("%s, the other: %s", r.Status, fault), 0}}
	case r == nil:
		return []finding{{differs, j, "the other: " + b.Status, 0}}
	case b.Status != r.Status:
		return []finding{{differs, j, fmt.Sprintf("%s (%s), the other: %s (%s)", r.Status, number(r.LogLikelihood), b.Status, number(b.LogLikelihood)), 0}}
	case r.Converged && *b.LogLikelihood-*r.LogLikelihood > againstBase*max(1, math.Abs(*b.LogLikelihood)):
		below := *b.LogLikelihood - *r.LogLikelihood
		return []finding{{differs, j, fmt.Sprintf("%s at %.9g, lower by %.3g", r.Status, *r.LogLikelihood, below), below}}
	}
	return nil
}

func number(x *float64) string {
	if x == nil {
		return "not finite"
	}
	return fmt.Sprintf("%.7g", *x)
}

func shortened(s string) string {
	if r := []rune(firstLine(s)); len(r) > 160 {
		return string(r[:160]) + "..."
	}
	return firstLine(s)
}
