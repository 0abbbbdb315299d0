package explain

import "strings"

// broken breaks a formula that starts at a column into lines, where it is least nested.
func broken(s string, column int) string {
	room := width - column
	var out []string
	for len(s) > room {
		at := breakAt(s, room, room/3)
		if at < 0 {
			at = breakAt(s, room, 1)
		}
		if at < 0 {
			break
		}
		out = append(out, strings.TrimRight(s[:at], " "))
		s = s[at:]
	}
	return strings.Join(append(out, s), "\n"+strings.Repeat(" ", column+2))
}

// breakAt is the last of the loosest places that leave a line between two lengths, -1 when there is none: less nested
// is looser, then operators by precedence.
func breakAt(s string, room, least int) int {
	best, loosest, depth := -1, 1<<30, 0
	for i := range min(len(s), room) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		at, precedence := breakable(s, i)
		if looseness := depth*len(operators) + precedence; at >= least && at < len(s) && looseness <= loosest {
			best, loosest = at, looseness
		}
	}
	return best
}

// operators are what a line may be broken at, loosest first. A line ends after the first of them, and starts with the
// others.
var operators = [][]string{{", "}, {" + ", " - "}, {" @ "}, {"*", "/"}}

// breakable is where a line may start for an operator at i, and its precedence; -1 when there is none.
func breakable(s string, i int) (at, precedence int) {
	for p, same := range operators {
		for _, op := range same {
			if !strings.HasPrefix(s[i:], op) {
				continue
			}
			if op == ", " {
				return i + len(op), p
			}
			return i + strings.IndexFunc(op, func(r rune) bool { return r != ' ' }), p
		}
	}
	return -1, 0
}
