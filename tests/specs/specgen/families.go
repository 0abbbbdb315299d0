package specgen

import (
	"fmt"
	"strings"
)

// family is an exponential family under names of its own, as YAML, with its parameters.
type family struct {
	text   string
	params []symbol
}

// template is a family as text: %[1]s is the variable, %[2]s and on the parameters, D the dimension.
type template struct {
	variable string
	params   []typ
	text     string
	mean     string // from_mean, which may be left out where the family says how to start: then it is generated
	start    string // of Newton's method
	constant string // of the moments, in place of 0
}

var templates = []template{
	{variable: "positive", params: []typ{number(positive)}, text: `
  statistics: [%[1]s]
  natural: [-%[2]s]
  log_partition: -log(%[2]s)
  from_natural:
    %[2]s: -eta1
`, mean: `
    %[2]s: 1/m1
`},
	{variable: "real", params: []typ{number(real), number(positive)}, text: `
  statistics: ["%[1]s - C", "(%[1]s - C)^2"]
  natural: ["(%[2]s - C)/%[3]s", -1/(2*%[3]s)]
  log_partition: (%[2]s - C)^2/(2*%[3]s) + log(%[3]s)/2 + log(2*pi)/2
  from_natural:
    %[3]s: -1/(2*eta2)
    %[2]s: C + %[3]s*eta1
`, mean: `
    %[2]s: C + m1
    %[3]s: m2 - m1^2
`, constant: "%[2]s"},
	{variable: "positive", params: []typ{number(positive), number(positive)}, text: `
  statistics: [log(%[1]s), %[1]s]
  natural: [%[2]s - 1, -%[3]s]
  log_partition: lgamma(%[2]s) - %[2]s*log(%[3]s)
  from_natural:
    %[2]s: eta1 + 1
    %[3]s: -eta2
`, mean: `
    %[2]s: root(a, digamma(a) - log(a) = m1 - log(m2))
    %[3]s: %[2]s/m2
`},
	{variable: "binary", params: []typ{number(unit)}, text: `
  statistics: [%[1]s]
  natural: [logit(%[2]s)]
  log_partition: -log(1 - %[2]s)
  from_natural:
    %[2]s: sigmoid(eta1)
`, mean: `
    %[2]s: m1
`},
	{variable: "unit", params: []typ{number(positive), number(positive)}, text: `
  statistics: [log(%[1]s), log(1 - %[1]s)]
  natural: [%[2]s - 1, %[3]s - 1]
  log_partition: lgamma(%[2]s) + lgamma(%[3]s) - lgamma(%[2]s + %[3]s)
  from_natural:
    %[2]s: eta1 + 1
    %[3]s: eta2 + 1
`, start: `
    %[2]s: 1/2 + exp(m1)/(2*(1 - exp(m1) - exp(m2)))
    %[3]s: 1/2 + exp(m2)/(2*(1 - exp(m1) - exp(m2)))
`},
	{variable: "vector(D)", params: []typ{vector(real, "D"), square(spd, "D")}, text: `
  statistics:
    - "%[1]s - C"
    - outer(%[1]s - C, %[1]s - C)
  natural:
    - solve(%[3]s, %[2]s - C)
    - -inv(%[3]s)/2
  log_partition: logdet(%[3]s)/2 + quad(inv(%[3]s), %[2]s - C)/2 + D*log(2*pi)/2
  from_natural:
    %[3]s: inv(-2*eta2)
    %[2]s: C + %[3]s @ eta1
`, mean: `
    %[2]s: C + m1
    %[3]s: m2 - outer(m1, m1)
`, constant: "%[2]s"},
	{variable: "vector(D)", params: []typ{vector(real, "D"), vector(positive, "D")}, text: `
  statistics:
    - "%[1]s - C"
    - (%[1]s - C)^2
  natural:
    - (%[2]s - C)/%[3]s
    - -1/(2*%[3]s)
  log_partition: total((%[2]s - C)^2/%[3]s)/2 + total(log(%[3]s))/2 + D*log(2*pi)/2
  from_natural:
    %[3]s: -1/(2*eta2)
    %[2]s: C + %[3]s*eta1
`, mean: `
    %[2]s: C + m1
    %[3]s: m2 - m1^2
`, constant: "%[2]s"},
	{variable: "positive vector(D)", params: []typ{vector(positive, "D")}, text: `
  statistics: [%[1]s]
  natural: [-%[2]s]
  log_partition: -total(log(%[2]s))
  from_natural:
    %[2]s: -eta1
`, mean: `
    %[2]s: 1/m1
`},
	{variable: "vector(D)", params: []typ{square(spd, "D")}, text: `
  statistics:
    - outer(%[1]s, %[1]s)
  natural:
    - -inv(%[2]s)/2
  log_partition: logdet(%[2]s)/2 + D*log(2*pi)/2
  from_natural:
    %[2]s: inv(-2*eta1)
`, mean: `
    %[2]s: m1
`},
	{variable: "simplex(D)", params: []typ{vector(positive, "D")}, text: `
  statistics: [log(%[1]s)]
  natural: [%[2]s - 1]
  log_partition: total(lgamma(%[2]s)) - lgamma(total(%[2]s))
  from_natural:
    %[2]s: eta1 + 1
`, start: `
    %[2]s: 1/softplus(-m1 - digamma((D - 1)*(total(exp(m1))/(2*(1 - total(exp(m1)))) - D/total(m1))))
`},
}

// drawFamily draws a family of a dimension; without one, of numbers.
func drawFamily(r *reader, d string, taken ...string) family {
	var fit []template
	for _, t := range templates {
		if strings.HasPrefix(t.variable, "simplex") && (d < "2" || d > "9") { // of one entry it is the number 1
			continue
		}
		if ofVectors := t.params[0].rank > 0; ofVectors == (d != "") {
			fit = append(fit, t)
		}
	}
	t := pick(r, fit)
	ns := newNames(r, append(taken, "a")...) // a is the unknown of a root
	ofDim := func(s string) string { return replaceWord(s, "D", d) }
	args := []any{ns.take()}
	var params []symbol
	declared := ""
	for _, p := range t.params {
		for i := range p.dims {
			p.dims[i] = ofDim(p.dims[i])
		}
		params = append(params, symbol{name: ns.take(), typ: p})
		args = append(args, params[len(params)-1].name)
		declared += fmt.Sprintf("    %s: %s\n", args[len(args)-1], p)
	}
	text, constants := strings.TrimPrefix(ofDim(t.text), "\n"), ""
	if t.mean != "" {
		text += "  from_mean:" + ofDim(t.mean)
	} else {
		text += "  newton_start:" + ofDim(t.start)
	}
	if t.constant != "" && r.below(2) == 1 {
		name, value := ns.take(), "0"
		if d != "" {
			value = "{type: vector(" + d + "), value: 0}"
		}
		text = replaceWord(text, "C", name)
		constants = fmt.Sprintf("  constants:\n    %s: %s\n  at_start: {%s: %s}\n", name, value, name, params[0].name)
	} else {
		text = strings.NewReplacer(" - C", "", "C + ", "").Replace(text)
	}
	return family{fmt.Sprintf("  variable: {%s: %s}\n  parameters:\n%s%s", args[0], ofDim(t.variable), declared, constants) +
		fmt.Sprintf(text, args...), params}
}
