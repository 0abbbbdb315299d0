package emit

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
)

// widthText writes how many numbers a value has, where length is the dimension that is no number.
func widthText(t expr.Type) string {
	times, names := methods.WidthOf(t)
	text := "length"
	switch len(names) {
	case 0:
		return fmt.Sprint(times)
	case 2:
		text = "length*length"
	}
	if times > 1 {
		text = fmt.Sprintf("%d*%s", times, text)
	}
	return text
}
