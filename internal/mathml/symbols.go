package mathml

import (
	"strings"
	"sync"
)

// symbols are the commands that stand for one element.
var symbols = sync.OnceValue(func() map[string]string {
	out := map[string]string{
		`\,`: `<mspace width="0.1667em"></mspace>`, `\;`: `<mspace width="0.2778em"></mspace>`, `\ `: `<mspace width="0.25em"></mspace>`,
		`\quad`: `<mspace width="1em"></mspace>`, `\!`: `<mspace width="-0.1667em"></mspace>`,
		`\sum`: `<mo movablelimits="false" largeop="true">∑</mo>`,
		`\{`:   `<mo stretchy="false">{</mo>`, `\}`: `<mo stretchy="false">}</mo>`, `\_`: `<mo>_</mo>`,
		`\partial`: `<mi>∂</mi>`, `\infty`: `<mi>∞</mi>`, `\top`: `<mo lspace="0" rspace="0">⊤</mo>`, `\dots`: `<mo>…</mo>`, `\ldots`: `<mo>…</mo>`,
		`\langle`: `<mo stretchy="false">⟨</mo>`, `\rangle`: `<mo stretchy="false">⟩</mo>`, `\cdot`: `<mo>⋅</mo>`,
	}
	for command, mark := range map[string]string{"odot": "⊙", "oslash": "⊘", "otimes": "⊗", "times": "×", "le": "≤", "ge": "≥", "ne": "≠", "lt": "&lt;", "gt": "&gt;",
		"mid": "∣", "Rightarrow": "⇒", "rightarrow": "→", "to": "→", "leftarrow": "←", "in": "∈", "sim": "∼", "approx": "≈", "pm": "±"} {
		out[`\`+command] = "<mo>" + mark + "</mo>"
	}
	for i, name := range strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau upsilon varphi chi psi omega") {
		out[`\`+name] = "<mi>" + string(rune('α'+i)) + "</mi>"
	}
	out[`\phi`], out[`\varepsilon`], out[`\ell`] = "<mi>ϕ</mi>", "<mi>ε</mi>", "<mi>ℓ</mi>"
	for name, mark := range map[string]string{"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ",
		"Psi": "Ψ", "Omega": "Ω"} {
		out[`\`+name] = `<mi mathvariant="normal">` + mark + "</mi>"
	}
	for _, name := range strings.Fields("log ln exp det max min sin cos tan sinh cosh tanh arctan arcsin arccos sup inf lim dim Pr") {
		out[`\`+name] = "<mi>" + name + `</mi><mspace width="0.1em"></mspace>`
	}
	return out
})

// fences are what may follow \left and \right.
var fences = map[string]string{"(": "(", ")": ")", "[": "[", "]": "]", "|": "|", `\{`: "{", `\}`: "}", `\langle`: "⟨", `\rangle`: "⟩",
	`\lfloor`: "⌊", `\rfloor`: "⌋", `\lceil`: "⌈", `\rceil`: "⌉"}

// escapes are the commands in texts.
var escapes = map[string]string{`\textbackslash`: `\`, `\{`: "{", `\}`: "}", `\$`: "$", `\&`: "&", `\#`: "#", `\%`: "%", `\_`: "_",
	`\textasciicircum`: "^", `\textasciitilde`: "~", `\textless`: "<", `\textgreater`: ">", `\,`: " ", `\ `: " "}
