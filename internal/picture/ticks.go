//go:build !js

package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

func fields(text string) []string { return strings.Fields(text) }

// few are ticks at round numbers, about so many.
type few int

func (n few) Ticks(low, high float64) []plot.Tick { return rounded(low, high, int(n), 0) }

// whole are ticks at whole numbers, about so many.
type whole int

func (n whole) Ticks(low, high float64) []plot.Tick { return rounded(low, high, int(n), 1) }

const (
	wantedTicks = 5
	fewTicks    = 3
)

// rounded are ticks at multiples of 1, 2 or 5 times a power of ten, of at least the given step: about so many, and two where the step
// allows it.
func rounded(low, high float64, count int, least float64) []plot.Tick {
	ticks := multiples(low, high, count, least)
	if len(ticks) < 2 {
		return multiples(low, high, 2*count, least)
	}
	return ticks
}

func multiples(low, high float64, count int, least float64) (ticks []plot.Tick) {
	step := roundStep((high - low) / float64(count))
	step = math.Max(step, least)
	if !(step > 0) || math.IsInf(step, 0) {
		return nil
	}
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	largest := math.Max(math.Abs(low), math.Abs(high))
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step && len(ticks) < 10*count; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: tickLabel(i*step, digits, largest)})
	}
	return ticks
}

// roundStep is the round number next to x, not below it.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// tickLabel writes a number in full as long as it is short, and by its power of ten otherwise.
func tickLabel(x float64, digits int, largest float64) string {
	if x == 0 {
		return "0"
	}
	if digits > 4 || largest >= 1e6 {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', max(0, int(math.Floor(math.Log10(largest)))+digits), 64), "e")
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		power, _ := strconv.Atoi(exponent)
		return fmt.Sprintf("%se%d", minus(mantissa), power)
	}
	return minus(strconv.FormatFloat(x, 'f', digits, 64))
}

// minus writes a minus sign, which is wider than a hyphen.
func minus(number string) string { return strings.Replace(number, "-", "\u2212", 1) }

// decades are ticks of an axis of logarithms to base 10: at powers of ten, at 1, 2 and 5 times these where there are few, and at other
// round numbers where the axis is so short that it has fewer than two of these.
type decades struct{}

func (decades) Ticks(low, high float64) []plot.Tick {
	ticks := powers(low, high)
	if len(ticks) > 1 || high-low > 1 {
		return ticks
	}
	ticks = rounded(math.Pow(10, low), math.Pow(10, high), wantedTicks, 0)
	for i := range ticks {
		ticks[i].Value = math.Log10(ticks[i].Value)
	}
	return ticks
}

// powers are ticks at powers of ten, or at 1, 2 and 5 times these.
func powers(low, high float64) (ticks []plot.Tick) {
	first, last := int(math.Floor(low)), int(math.Ceil(high))
	every := max(1, (last-first+5)/6)
	for e := first; e <= last; e++ {
		for _, m := range []float64{1, 2, 5} {
			x := m * math.Pow10(e)
			at := math.Log10(x)
			if at < low-1e-9 || at > high+1e-9 {
				continue
			}
			label := ""
			if m == 1 && e%every == 0 || last-first <= 2 {
				label = shortest(x)
			}
			if m == 1 || last-first <= 3 {
				ticks = append(ticks, plot.Tick{Value: at, Label: label})
			}
		}
	}
	return ticks
}

// shortest writes a number of one digit.
func shortest(x float64) string {
	if x >= 1e-3 && x < 1e5 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return minus(strings.Replace(strings.Replace(strconv.FormatFloat(x, 'e', -1, 64), "e+0", "e", 1), "e-0", "e-", 1))
}
