package emit

import (
	"testing"

	"github.com/sngdgen/sngdgen/runtime/types"
)

// TestPlacesNames: all places at which coordinates of a type may lie have a name in Go.
func TestPlacesNames(t *testing.T) {
	for _, f := range types.Forms {
		for _, c := range (types.Type{Form: f}).Coordinates() {
			if placesNames[c.Places] == "" {
				t.Errorf("places %d, of %s, have no name", c.Places, f.Name)
			}
		}
	}
}
