package spec

import (
	"go/token"
	"slices"
	"strings"
	"unicode"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// isName reports whether a text is a letter followed by letters, digits and _, at most 64 of them. It looks at every name of a spec.
func isName(s string) bool { return isWord(s, 64, "_") }

// isPackage reports whether a text is a lower-case letter followed by lower-case letters and digits, at most 40 of them.
func isPackage(s string) bool { return isWord(s, 40, "") && s == strings.ToLower(s) }

// isWord reports whether a text has a letter of ASCII first, then letters, digits and other characters, and is at most so long.
func isWord(s string, most int, others string) bool {
	for i, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || strings.ContainsRune(others, c)):
		default:
			return false
		}
	}
	return s != "" && len(s) <= most
}

// isCoordinate reports whether a text is eta or m and a number, as the coordinates of a family are called.
func isCoordinate(s string) bool {
	number, ok := strings.CutPrefix(s, "eta")
	if !ok {
		number, ok = strings.CutPrefix(s, "m")
	}
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// Reserved lists the names that no variable or parameter may have: constants and summaries of data in formulas, n for
// the number of rows, and keys of sample and starts.
var Reserved = []string{"pi", "n", "root", "sum", "mean", "var", "sd", "min", "max", "logsumexp", "noise", "groups"}

// reservedPackages lists what a package is not called: predeclared identifiers of Go, and packages that generated code,
// or the code that imports it, is likely to import. Keywords are known to go/token.
var reservedPackages = strings.Fields(`
	any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8
	uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag len make max min new
	panic print println real recover
	bufio bytes cmp context embed errors flag fmt io iter json log maps math os path rand reflect runtime slices sort
	strconv strings sync testing time unsafe
	blas blas64 lapack lapack64 mat optimize floats stat dense special documentation init`)

// patternPackages mean something to the go command as folders or patterns of packages: all, cmd, std, tool and work are
// sets of packages, and what is below the others cannot be imported, or is not built.
var patternPackages = strings.Fields(`all cmd std tool work internal main test testdata vendor builtin`)

// devices are names of files that Windows takes for devices, whatever their extensions.
var devices = strings.Fields(`con prn aux nul conin conout com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9`)

// checkName reports whether a name may be used for a variable or a parameter, and says why not.
func (r *reader) checkName(name string, span diag.Span) bool {
	switch {
	case !isName(name):
		r.diags.Errorf(span, msgBadName, clip(name)).
			WithHint("a name is a letter followed by letters, digits and _, at most 64 of them")
		return false
	case strings.HasSuffix(name, "_"):
		r.diags.Errorf(span, msgGeneratedName, name)
		return false
	case slices.Contains(Reserved, name):
		r.diags.Errorf(span, msgReservedName, name).WithHint("reserved are %s", strings.Join(Reserved, ", "))
		return false
	}
	return true
}

// checkPackage reports whether a package may have the name, and says why not.
func (r *reader) checkPackage(name string, span diag.Span) bool {
	hint := ""
	switch {
	case !isPackage(name):
		hint = "use lower-case letters and digits, a letter first, at most 40"
	case token.IsKeyword(name):
		hint = "it is a keyword of Go"
	case slices.Contains(patternPackages, name):
		hint = "the go command takes the name for something else"
	case slices.Contains(devices, name):
		hint = "Windows takes the name for a device, and makes no file of it"
	case slices.Contains(reservedPackages, name):
		hint = "the name has a meaning in Go, or generated code imports a package of that name"
	default:
		return true
	}
	r.diags.Errorf(span, msgPackageName, name).WithHint("%s", hint)
	return false
}

// names remembers which names a document has used, and for what.
type names struct {
	r    *reader
	used map[string]string
}

func (r *reader) names() *names { return &names{r, map[string]string{}} }

// declare checks a name and takes it for what it is to name. It returns false, and has said why, if it cannot.
func (ns *names) declare(name string, span diag.Span, what string) bool {
	if !ns.r.checkName(name, span) {
		return false
	}
	if other, ok := ns.used[name]; ok {
		ns.r.diags.Errorf(span, msgDuplicateName, name, other)
		return false
	}
	ns.used[name] = what
	return true
}

// maxDoc is the number of runes of a doc that are kept.
const maxDoc = 500

// cleanDoc makes a doc one line of printable text, so that it cannot end the comment it is put into.
func cleanDoc(s string) string {
	s = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case !unicode.IsGraphic(c):
			return -1
		}
		return c
	}, s)
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "*/", "* /")
	if runes := []rune(s); len(runes) > maxDoc {
		s = string(runes[:maxDoc]) + "…"
	}
	return s
}
