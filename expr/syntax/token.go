package syntax

// kind says what a token is. Operators and punctuation of one byte are that byte; the others have names.
type kind int

const (
	tokEOF    kind = -(iota + 1)
	tokNumber      // 1.5e-3
	tokName        // alpha, gamma.logpdf
	tokLE          // <=
	tokGE          // >=
	tokBad         // something that has been reported already
)

// token is a piece of the text.
type token struct {
	kind       kind
	start, end int
	value      float64 // of a number
}

// comparison returns the spelling of a comparison operator, or nothing.
func (t token) comparison() string {
	switch t.kind {
	case '<', '>', '=':
		return string(rune(t.kind))
	case tokLE:
		return "<="
	case tokGE:
		return ">="
	}
	return ""
}

// startsOperand reports whether an operand can start with the token, prefix minus aside.
func (t token) startsOperand() bool {
	return t.kind == tokNumber || t.kind == tokName || t.kind == '('
}

// foreign maps what people write in other languages, or paste from papers, to what is meant here. The longest match
// wins; as is the token it is read as, so that the rest of the formula is still checked.
var foreign = map[string]struct {
	as        kind
	msg, hint string
}{
	"**": {'^', `unknown operator "**"`, `use ^ for powers`},
	"==": {'=', `unknown operator "=="`, `use = for an equation`},
	"!=": {tokBad, `unknown operator "!="`, `formulas compare with < <= > >= and =`},
	"<>": {tokBad, `unknown operator "<>"`, `formulas compare with < <= > >= and =`},
	"=<": {tokLE, `unknown operator "=<"`, `use <=`},
	"=>": {tokGE, `unknown operator "=>"`, `use >=`},
	":=": {'=', `unknown operator ":="`, `use = for an equation`},
	"<-": {tokBad, `unknown operator "<-"`, `to compare with a negative value, put a space: a < -b`},
	"&&": {tokBad, `unknown operator "&&"`, `write the conditions as separate items`},
	"||": {tokBad, `unknown operator "||"`, `write the conditions as separate items; abs(x) is the absolute value`},
	"&":  {tokBad, `unknown operator "&"`, `write the conditions as separate items`},
	"|":  {tokBad, `unexpected "|"`, `abs(x) is the absolute value, logdet(A) the log-determinant`},
	"//": {'/', `unknown operator "//"`, `use / for division`},
	"++": {'+', `unknown operator "++"`, `use a single +`},
	".*": {'*', `unknown operator ".*"`, `* already works element by element`},
	"./": {'/', `unknown operator "./"`, `/ already works element by element`},
	".^": {'^', `unknown operator ".^"`, `^ already works element by element`},
	".'": {'\'', `unknown operator ".'"`, `use ' for the transpose`},
	".":  {tokBad, `unexpected "."`, `a dot stands in numbers and in calls such as normal.logpdf(x; mu, Sigma)`},
	"{":  {tokBad, `unexpected "{"`, `use parentheses`},
	"}":  {tokBad, `unexpected "}"`, `use parentheses`},
	`"`:  {tokBad, `unexpected quotation mark`, `formulas have no strings`},
	"`":  {tokBad, "unexpected \"`\"", `use ' for the transpose`},
	`\`:  {tokBad, `unknown operator "\"`, `solve(A, b) solves A @ x = b`},
	"!":  {tokBad, `unknown operator "!"`, `the factorial of x is exp(lgamma(x + 1))`},
	"%":  {tokBad, `unknown operator "%"`, ``},
	"~":  {tokBad, `unknown operator "~"`, ``},
	"?":  {tokBad, `unknown operator "?"`, ``},
	"$":  {tokBad, `unexpected "$"`, `formulas are plain text, not TeX`},
	"#":  {tokBad, `unexpected "#"`, `a YAML comment needs a space before #`},

	"×": {'*', `unknown operator "×"`, `use *`},
	"·": {'*', `unknown operator "·"`, `use * , or dot(a, b)`},
	"⋅": {'*', `unknown operator "⋅"`, `use * , or dot(a, b)`},
	"∗": {'*', `unknown operator "∗"`, `use *`},
	"÷": {'/', `unknown operator "÷"`, `use /`},
	"⁄": {'/', `unknown operator "⁄"`, `use /`},
	"−": {'-', `unknown operator "−" (U+2212)`, `use the plain minus sign -`},
	"–": {'-', `unknown operator "–" (U+2013)`, `use the plain minus sign -`},
	"—": {'-', `unknown operator "—" (U+2014)`, `use the plain minus sign -`},
	"≤": {tokLE, `unknown operator "≤"`, `use <=`},
	"≥": {tokGE, `unknown operator "≥"`, `use >=`},
	"≠": {tokBad, `unknown operator "≠"`, `formulas compare with < <= > >= and =`},
	"’": {'\'', `unexpected "’"`, `use the plain ' for the transpose`},
	"‘": {'\'', `unexpected "‘"`, `use the plain ' for the transpose`},
	"′": {'\'', `unexpected "′"`, `use the plain ' for the transpose`},
	"ᵀ": {'\'', `unexpected "ᵀ"`, `use ' for the transpose`},
	"⊤": {'\'', `unexpected "⊤"`, `use ' for the transpose`},
	"²": {tokBad, `unexpected "²"`, `use ^2`},
	"³": {tokBad, `unexpected "³"`, `use ^3`},
	"½": {tokNumber, `unexpected "½"`, `write 1/2`},
	"√": {tokBad, `unexpected "√"`, `use sqrt(x)`},
	"∑": {tokBad, `unexpected "∑"`, `use sum(x)`},
	"∞": {tokNumber, `unexpected "∞"`, `formulas have no infinity`},
}

// greek spells the Greek letters that papers use as names.
var greek = map[rune]string{
	'α': "alpha", 'β': "beta", 'γ': "gamma", 'δ': "delta", 'ε': "epsilon", 'ϵ': "epsilon", 'ζ': "zeta", 'η': "eta",
	'θ': "theta", 'ϑ': "theta", 'ι': "iota", 'κ': "kappa", 'λ': "lambda", 'μ': "mu", 'µ': "mu", 'ν': "nu", 'ξ': "xi",
	'π': "pi", 'ρ': "rho", 'σ': "sigma", 'τ': "tau", 'υ': "upsilon", 'φ': "phi", 'ϕ': "phi", 'χ': "chi", 'ψ': "psi",
	'ω': "omega", 'Γ': "Gamma", 'Δ': "Delta", 'Θ': "Theta", 'Λ': "Lambda", 'Ξ': "Xi", 'Π': "Pi", 'Σ': "Sigma",
	'Φ': "Phi", 'Ψ': "Psi", 'Ω': "Omega",
}
