package diag

import (
	"strings"
	"unicode/utf8"
)

// maxSuggest is the length of the longest name for which suggestions are sought: the work grows with its square.
const maxSuggest = 64

// Suggest returns the candidate that name was probably meant to be, or nothing if none is near. The nearer the better,
// and the earlier the better among equally near ones.
func Suggest(name string, candidates []string) string {
	n := utf8.RuneCountInString(name)
	if n == 0 || n > maxSuggest {
		return ""
	}
	best, bestDistance := "", cutoff(n)+1
	for _, c := range candidates {
		if c == name || utf8.RuneCountInString(c) > maxSuggest {
			continue
		}
		if strings.EqualFold(c, name) {
			return c
		}
		if d := distance([]rune(name), []rune(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// cutoff returns how many slips of the pen a name of n letters may hold. One letter for another letter is no slip.
func cutoff(n int) int {
	switch {
	case n <= 1:
		return 0
	case n <= 5:
		return 1
	case n <= 8:
		return 2
	}
	return n / 3
}

// distance returns the Damerau-Levenshtein distance in its restricted form: insertions, deletions, substitutions and
// swaps of neighbours, no part touched twice.
func distance(a, b []rune) int {
	older := make([]int, len(b)+1)
	old := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(old[j]+1, row[j-1]+1, old[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}
