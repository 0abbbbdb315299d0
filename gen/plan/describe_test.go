package plan_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// Values are called what they are, or have their formula for a comment.
func TestTemporariesSayWhatTheyAre(t *testing.T) {
	for _, c := range []struct{ formula, name, about string }{
		{"logdet(A)*logdet(A) + dot(p, A @ y)", "logDetA", ""},
		{"dot(y, p)^2 + exp(dot(y, p))", "yDotP", ""},
		{"log_ndtr(s)^2 + exp(log_ndtr(s))", "logNdtrS", ""},
		{"total(exp(A @ p)) + dot(y, A @ p)", "AP", ""},
		{"dot(exp(inv(A) @ p), inv(A) @ p)", "invAP", ""},
		{"dot(p, inv(A) @ p)", "t0", "inv(chol(A)) @ p"},
		{"exp(2*s + 3*t) + (2*s + 3*t)^2", "t0", "2*s + 3*t"},
		{"exp(s*exp(t)) + (s*exp(t))^2", "expT", ""},
	} {
		t.Run(c.formula, func(t *testing.T) {
			w := exprtest.NewLinalgWorld()
			prog, err := planOf(w, w.Parse(t, c.formula), expr.Dim{Name: "d"}, false)
			if err != nil {
				t.Fatal(err)
			}
			abouts := map[string]string{}
			for _, s := range prog.Body {
				for _, p := range program.Declares(s) {
					abouts[p.Name] = p.About
				}
			}
			if about, ok := abouts[c.name]; !ok || about != c.about {
				t.Errorf("want %s, %q, got %v", c.name, c.about, abouts)
			}
		})
	}
}
