package baseline

import (
	"testing"

	"github.com/sngdgen/sngdgen/runtime/types"
)

// Every entry of the table of types that observations may be has a rule, but for numbers of entries, which are given and not observed.
func TestRulesOfEntries(t *testing.T) {
	for _, e := range types.Entries {
		if _, err := ruleFor(types.Number.Of(e)); (err == nil) == e.Numbers {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}
