package pass

import (
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
)

// Where all names with a beginning are reserved, another one is found: row0_ is what a parameter row0 of a spec is called.
func TestNewName(t *testing.T) {
	n := namesOf(&program.Program{}, func(name string) bool { return strings.HasPrefix(name, "row") || name == "xs" })
	for _, c := range []struct{ hint, want string }{
		{"delta", "delta"}, {"delta", "delta2"}, {"m1", "m1"}, {"m1", "m1_2"}, {"xs", "xs2"}, {"row0_s", "ownRow0_s"}, {"row0_s", "ownRow0_s2"},
	} {
		if got := n.New(c.hint); got != c.want {
			t.Errorf("%s becomes %s instead of %s", c.hint, got, c.want)
		}
	}
}
