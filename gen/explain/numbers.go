package explain

import (
	"math"
	"strconv"

	"github.com/sngdgen/sngdgen/expr"
)

// wellKnown are numbers that formulas of densities are full of, with what they are.
var wellKnown = []struct {
	value float64
	name  side
}{
	{math.Ln2, side{"log(2)", `\log 2`}},
	{math.Log(math.Pi), side{"log(pi)", `\log \pi`}},
	{math.Log(2 * math.Pi), side{"log(2*pi)", `\log(2 \pi)`}},
	{math.Log(2*math.Pi) / 2, side{"log(2*pi)/2", `\frac{1}{2} \log(2 \pi)`}},
	{math.Pi, side{"pi", `\pi`}},
	{2 * math.Pi, side{"2*pi", `2 \pi`}},
	{math.Pi / 2, side{"pi/2", `\frac{\pi}{2}`}},
	{math.Sqrt(2 * math.Pi), side{"sqrt(2*pi)", `\sqrt{2 \pi}`}},
	{math.Sqrt(2 / math.Pi), side{"sqrt(2/pi)", `\sqrt{2 / \pi}`}},
}

// numbers says what the well-known numbers in the formulas are.
func (e *explainer) numbers() {
	met := map[float64]bool{}
	expr.Walk(func(n *expr.Node) {
		met[math.Abs(n.Const)] = true
		for _, c := range n.Coefs {
			met[math.Abs(c)] = true
		}
	}, e.shown...)
	var list []equation
	for _, k := range wellKnown {
		if !met[k.value] {
			continue
		}
		v := strconv.FormatFloat(k.value, 'g', -1, 64)
		list = append(list, equation{side: side{k.name.text + " = " + v, k.name.latex + " = " + v}})
	}
	if len(list) > 0 {
		e.f.heading("Numbers")
		e.f.equations(list)
	}
}
