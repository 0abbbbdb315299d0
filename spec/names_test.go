package spec

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// TestWords: what names, packages and coordinates are, against patterns.
func TestWords(t *testing.T) {
	coordinate := regexp.MustCompile(`^(eta|m)[0-9]+$`)
	texts := rapid.OneOf(rapid.StringMatching(`(eta|m|[a-zA-Z_0-9]{0,2})[0-9A-Za-z_]{0,2}[0-9]{0,2}`), rapid.StringMatching(`[a-z][a-z0-9]{37,41}`),
		rapid.StringMatching(`[a-zA-Z][a-z0-9_]{61,65}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		s := texts.Draw(t, "text")
		for what, got := range map[*regexp.Regexp]bool{namePattern: isName(s), packagePattern: isPackage(s), coordinate: isCoordinate(s)} {
			if got != what.MatchString(s) {
				t.Errorf("%q as %v: %v", s, what, got)
			}
		}
	})
}
