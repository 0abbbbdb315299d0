package mathml

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestRow(t *testing.T) {
	tests := []struct{ latex, want string }{
		{`x`, `<mi>x</mi>`},
		{`-0.5 \, x_{1}`, `<mo>−</mo><mn>0.5</mn><mspace width="0.1667em"></mspace><msub><mi>x</mi><mrow><mn>1</mn></mrow></msub>`},
		{`\frac{a}{b}^2`, `<msup><mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac><mn>2</mn></msup>`},
		{`\eta_{2}^{-1}`, `<msubsup><mi>η</mi><mrow><mn>2</mn></mrow><mrow><mo>−</mo><mn>1</mn></mrow></msubsup>`},
		{`\sum_{n} x`, `<munder><mo movablelimits="false" largeop="true">∑</mo><mrow><mi>n</mi></mrow></munder><mi>x</mi>`},
		{`\sigma \omega \Omega`, `<mi>σ</mi><mi>ω</mi><mi mathvariant="normal">Ω</mi>`},
		{`\left(x\right)`, `<mrow><mo fence="true" stretchy="true">(</mo><mrow><mi>x</mi></mrow><mo fence="true" stretchy="true">)</mo></mrow>`},
		{`\mathrm{a\_b}`, `<mi mathvariant="normal">a_b</mi>`},
		{`\text{a \textless{} b}`, "<mtext>a\u00a0&lt;\u00a0b</mtext>"},
		{`\mathbf{1}`, `<mi mathvariant="normal">𝟏</mi>`},
		{`<b>`, `<mo>&lt;</mo><mi>b</mi><mo>&gt;</mo>`},
		{``, ``},
	}
	for _, test := range tests {
		if got, err := Row(test.latex); err != nil || got != "<mrow>"+test.want+"</mrow>" {
			t.Errorf("%s: %v\n got %s\nwant <mrow>%s</mrow>", test.latex, err, got, test.want)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, latex := range []string{`\href{javascript:x}{y}`, `{x`, `x}`, `x_`, `x_1_2`, `x^2^3`, `\frac{a}`, `\left<x\right>`, `\left(x`, `\text{x`, `\text x`,
		`\text{\frac}`, `\sqrt`, `$x$`, `a & b`, `\begin{align}`, strings.Repeat("{", 5000), `\left`, `\`} {
		if got, err := Row(latex); err == nil || got != "" {
			t.Errorf("%.40q: %v, %.80s", latex, err, got)
		}
	}
}

// check says what is wrong with markup: it must be well formed, of known elements, and have no attributes but those of the tables.
func check(markup string) error {
	d := xml.NewDecoder(strings.NewReader(markup))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !strings.Contains(" mrow mi mn mo mspace mtext mfrac msqrt msub msup msubsup munder mover munderover ", " "+start.Name.Local+" ") {
			return errors.New("element " + start.Name.Local)
		}
		for _, a := range start.Attr {
			if !strings.Contains(" mathvariant width stretchy fence lspace rspace movablelimits largeop class ", " "+a.Name.Local+" ") {
				return errors.New("attribute " + a.Name.Local)
			}
		}
	}
}

// FuzzRow: whatever the text, the markup is well formed and of the elements of formulas.
func FuzzRow(f *testing.F) {
	for _, s := range []string{`\frac{\sum_{n} x}{n} + \left(\mu - \beta_{1}\right)^{2}`, `\text{<script>} \mathrm{a}`, `\operatorname{E}[x] \le 3.5`, `\{x\} \mid y'`, "é\\é\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, latex string) {
		got, err := Row(latex)
		if err != nil {
			return
		}
		if strings.ContainsFunc(latex, func(r rune) bool { return r < ' ' || r == 0xfffe || r == 0xffff || r == 0xfffd }) {
			return // of which there are none in XML
		}
		if err := check(got); err != nil {
			t.Errorf("%q: %v: %s", latex, err, got)
		}
	})
}
