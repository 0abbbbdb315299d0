package regression

// Split cuts a text at a separator, but not inside of parentheses.
func Split(text string, separator byte) (out []string) {
	depth, start := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == separator && depth <= 0:
			out, start = append(out, text[start:i]), i+1
		}
	}
	return append(out, text[start:])
}
