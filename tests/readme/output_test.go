package readme_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// elided stands for any number of lines.
const elided = "..."

var (
	// duration is excepted from comparison, as it is a machine's.
	duration = regexp.MustCompile(`\d+(\.\d+)?(e[+-]?\d+)? (ns|µs|ms|s|min)\b`)
	number   = regexp.MustCompile(`-?\d+(\.\d+)?(e[+-]?\d+)?`)
	space    = regexp.MustCompile(`\s+`)
)

// sameLine reports whether a line that is printed is the one shown: the same text, up to the width of spaces and to times,
// and the same numbers at the precision shown. The last digit that is not of a whole number may be off by one.
func sameLine(shown, printed string) bool {
	shown, printed = plain(shown), plain(printed)
	if number.ReplaceAllString(shown, "#") != number.ReplaceAllString(printed, "#") {
		return false
	}
	return slices.EqualFunc(number.FindAllString(shown, -1), number.FindAllString(printed, -1), sameNumber)
}

// plain is a line without times and with single spaces.
func plain(line string) string {
	line = duration.ReplaceAllString(line, "TIME")
	return strings.TrimSpace(space.ReplaceAllString(line, " "))
}

func sameNumber(shown, printed string) bool {
	if shown == printed {
		return true
	}
	mantissa, exponent, _ := strings.Cut(shown, "e")
	_, decimals, fraction := strings.Cut(mantissa, ".")
	if !fraction {
		return false
	}
	power, _ := strconv.Atoi(exponent)
	a, errA := strconv.ParseFloat(shown, 64)
	b, errB := strconv.ParseFloat(printed, 64)
	return errA == nil && errB == nil && math.Abs(a-b) <= 1.001*math.Pow10(power-len(decimals))
}

// segments are the lines between elisions.
func segments(shown []string) [][]string {
	out := [][]string{nil}
	for _, line := range shown {
		if strings.TrimSpace(line) == elided {
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], line)
	}
	return out
}

// compare says where what is printed is not what is shown, "" when it is nowhere.
func compare(shown, printed []string) string {
	printed = inOrder(trim(withoutTimes(printed)))
	parts := segments(inOrder(trim(withoutTimes(shown))))
	at := 0
	for i, part := range parts {
		if len(part) == 0 {
			continue
		}
		start := at
		switch {
		case i == len(parts)-1 && i > 0: // to the end
			start = max(at, len(printed)-len(part))
		case i > 0:
			for start+len(part) <= len(printed) && difference(part, printed[start:]) != "" {
				start++
			}
			if start+len(part) > len(printed) {
				return fmt.Sprintf("nowhere is printed, below what is shown above it:\n%s", strings.Join(part, "\n"))
			}
		}
		if d := difference(part, printed[min(start, len(printed)):]); d != "" {
			return d
		}
		at = start + len(part)
	}
	if last := parts[len(parts)-1]; len(last) > 0 && at < len(printed) {
		return fmt.Sprintf("shown is nothing, printed %q", printed[at])
	}
	return ""
}

// inOrder are lines in which those that have a time each, and the same numbers otherwise, stand in the order of their texts: they may be ranked by the times.
func inOrder(lines []string) []string {
	out := slices.Clone(lines)
	for from := 0; from < len(out); {
		to := from + 1
		if strings.Contains(plain(out[from]), "TIME") {
			for to < len(out) && strings.Contains(plain(out[to]), "TIME") && slices.Equal(number.FindAllString(plain(out[to]), -1), number.FindAllString(plain(out[from]), -1)) {
				to++
			}
		}
		slices.SortFunc(out[from:to], func(a, b string) int { return strings.Compare(plain(a), plain(b)) })
		from = to
	}
	return out
}

func difference(shown, printed []string) string {
	for i, line := range shown {
		if i >= len(printed) {
			return fmt.Sprintf("shown is   %q\nprinted is nothing", line)
		}
		if !sameLine(line, printed[i]) {
			return fmt.Sprintf("shown is   %q\nprinted is %q", line, printed[i])
		}
	}
	return ""
}

// trim drops blank lines at both ends.
func trim(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// withoutTimes drops the columns of a table that are times by their headings (time, time/bfgs, ns), and counts of thousands
// of iterations and evaluations, which depend on the last digits of what is summed.
func withoutTimes(lines []string) []string {
	out := slices.Clone(lines)
	var headings []string // of the present table, from the right
	for i, line := range out {
		cells := strings.Fields(duration.ReplaceAllString(line, "TIME"))
		if len(cells) == 0 {
			headings = nil
			continue
		}
		if slices.IndexFunc(cells, isTime) > 0 && !number.MatchString(cells[0]) {
			headings = slices.Clone(cells)
			slices.Reverse(headings)
		}
		for right, heading := range headings {
			switch at := len(cells) - 1 - right; {
			case at < 0:
			case isTime(heading):
				cells[at] = "TIME"
			case (heading == "iterations" || heading == "evaluations") && thousands.MatchString(cells[at]):
				cells[at] = "THOUSANDS"
			}
		}
		if headings != nil {
			out[i] = strings.Join(cells, " ")
		}
	}
	return out
}

var thousands = regexp.MustCompile(`^\d{4,}$`)

func isTime(heading string) bool {
	return heading == "time" || heading == "ns" || strings.HasPrefix(heading, "time/") || strings.HasPrefix(heading, "ns/")
}

// refresh is what is to be shown in the place of lines whose output has changed: of each segment, the lines that are printed
// from that which begins like its first to that which begins like its last.
func refresh(shown, printed []string) ([]string, error) {
	printed = trim(printed)
	var out []string
	at := 0
	parts := segments(shown)
	for i, part := range parts {
		if i > 0 {
			out = append(out, elided)
		}
		if len(trim(part)) == 0 {
			out = append(out, part...)
			continue
		}
		first := slices.IndexFunc(part, keyed)
		if first < 0 {
			return nil, fmt.Errorf("no line of %q begins with a word", part)
		}
		last := len(part) - 1
		for !keyed(part[last]) {
			last--
		}
		start, ok := find(printed, at, part[first])
		if i == 0 {
			start, ok = first, true
		}
		end, found := find(printed, start, part[last])
		if i == len(parts)-1 && i == 0 {
			end, found = len(printed)-len(part)+last, true
		}
		if !ok || !found || start-first < at {
			return nil, fmt.Errorf("no lines that begin like %q and %q", part[first], part[last])
		}
		at = min(end+len(part)-last, len(printed))
		out = append(out, printed[start-first:at]...)
	}
	return out, nil
}

// find returns the first line that is like another but for numbers, or else the first that begins with the same word.
func find(lines []string, from int, like string) (int, bool) {
	text := func(line string) string { return number.ReplaceAllString(plain(line), "#") }
	for i := from; i < len(lines); i++ {
		if text(lines[i]) == text(like) {
			return i, true
		}
	}
	for i := from; i < len(lines); i++ {
		if keyed(lines[i]) && key(lines[i]) == key(like) {
			return i, true
		}
	}
	return 0, false
}

// keyed reports whether a line begins with a word.
func keyed(line string) bool {
	return strings.IndexFunc(strings.TrimSpace(line), unicode.IsLetter) == 0
}

func key(line string) string { return strings.Fields(line)[0] }

func TestCompare(t *testing.T) {
	printed := []string{"head", "", "a 1.25 b", "b 3 4", "time 12 ms", "", "end 1.2e-05", ""}
	for _, c := range []struct {
		shown string
		same  bool
	}{
		{"head||a 1.25 b|b 3 4|time 90 µs||end 1.2e-05", true},
		{"head||a   1.26 b|b 3 4|time 1.5 s||end 1.3e-05", true},
		{"head|...|end 1.2e-05", true},
		{"...|b 3 4|...", true},
		{"...|a 1.25 b|...|time 9 s|...|end 1.2e-05", true},
		{"head|...", true},
		{"head||a 1.27 b|...", false},
		{"head||a 1.1 b|...", false},
		{"...|b 3 5|...", false},
		{"...|b 3 4", false},
		{"...|end 1.2e-05|...|b 3 4|...", false},
		{"head||a 1.25 c|...", false},
		{"head||a 1.25 b|b 3 4|time 90 µs", false},
	} {
		if d := compare(strings.Split(c.shown, "|"), printed); (d == "") != c.same {
			t.Errorf("%s: %q", c.shown, d)
		}
	}
	table := strings.Split("fit  time  steps  time/x|a 1 ms 3 0.5|b 2.5 s 4 7", "|")
	if d := compare(strings.Split("fit time steps time/x|a 9 ms 3 1|b 1 s 4 1", "|"), table); d != "" {
		t.Error(d)
	}
	ranked := []string{"a, mean 3 4 9 ms", "b, mean 3 4 8 ms", "c 5 7 1 ms"}
	if d := compare(strings.Split("b, mean 3 4 2 ms|a, mean 3 4 3 ms|c 5 7 1 ms", "|"), ranked); d != "" {
		t.Error(d)
	}
	if compare(strings.Split("c 5 7 1 ms|a, mean 3 4 3 ms|b, mean 3 4 2 ms", "|"), ranked) == "" {
		t.Error("other numbers in another order are the same")
	}
	if compare(strings.Split("fit time steps time/x|a 9 ms 2 1|b 1 s 4 1", "|"), table) == "" {
		t.Error("the wrong number of steps is not noticed")
	}
	counts := strings.Split("fit time iterations time/x|a 1 ms 1234 0.5|b 2.5 s 4 7", "|")
	if d := compare(strings.Split("fit time iterations time/x|a 9 ms 1299 1|b 1 s 4 1", "|"), counts); d != "" {
		t.Error(d)
	}
	if compare(strings.Split("fit time iterations time/x|a 9 ms 1299 1|b 1 s 5 1", "|"), counts) == "" {
		t.Error("the wrong number of iterations is not noticed")
	}
}

func TestRefresh(t *testing.T) {
	printed := strings.Split("head 2||eta (2)|  1 2|std. errors|  3 4||steps 5|optima 6|  from 7|time 8 s|", "|")
	for _, c := range [][2]string{
		{"head 1|...|eta (2)|  0 0|...|time 1 s", "head 2|...|eta (2)|  1 2|...|time 8 s"},
		{"...|eta (2)|  0 0|std. errors|  0 0||steps 1|...|time 1 s", "...|eta (2)|  1 2|std. errors|  3 4||steps 5|...|time 8 s"},
		{"...|steps 1|optima 9|time 1 s", "...|steps 5|optima 6|  from 7|time 8 s"},
	} {
		got, err := refresh(strings.Split(c[0], "|"), printed)
		if err != nil || strings.Join(got, "|") != c[1] {
			t.Errorf("%s: %s, %v", c[0], strings.Join(got, "|"), err)
		}
	}
}
