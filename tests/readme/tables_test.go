package readme_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// quoting are the documents whose sentences with the folder of a table are held to it.
var quoting = []string{"README.md", "ARCHITECTURE.md", "docs/*.md"}

var (
	tableFolder = regexp.MustCompile(`tests/[a-z]+(?:/[a-z]+)*`)
	sentenceEnd = regexp.MustCompile(`([.:]\)?)\s+(\(?[A-Z*])`)
	codeOrLink  = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|\\[[^ \\]]*\\.md")
	tableNumber = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?`)
	numeral     = regexp.MustCompile(`(?:^|[\s(|~<>=])(\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)( percent)?\b`)
	fraction    = regexp.MustCompile(`\ban? ((?:twenty-|thirty-)?[a-z]+th|third|quarter)\b`)
	parts       = ordinals()
)

// ordinals are the shares that have a name: a sixth is one of 6 parts.
func ordinals() map[string]float64 {
	out := map[string]float64{"third": 3, "quarter": 4, "twelfth": 12, "twentieth": 20, "thirtieth": 30, "hundredth": 100}
	for i, unit := range []string{"fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"} {
		out[unit] = float64(4 + i)
		if i < 6 {
			out["twenty-"+unit], out["thirty-"+unit] = float64(24+i), float64(34+i)
		}
	}
	return out
}

// TestQuotedTables holds what documents quote from committed tables to these: a number in the sentence that names the folder of a table, or links
// to it, has to be in the table, rounded to the digits that the document has. A number that says something else is in a sentence of its own.
func TestQuotedTables(t *testing.T) {
	quoted := 0
	for _, pattern := range quoting {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range sentences(string(text)) {
				tables := tablesOf(t, s)
				if len(tables) == 0 {
					continue
				}
				for _, q := range quotations(s) {
					quoted++
					if !slices.ContainsFunc(tables, q.of) {
						t.Errorf("%s: %s is in no table of %q", filepath.Base(file), q.text, s)
					}
				}
			}
		}
	}
	if quoted < 8 {
		t.Errorf("%d numbers are quoted: the README alone has as many", quoted)
	}
}

// TestQuotations is that of the test itself: which numbers it sees, and which are those of a table.
func TestQuotations(t *testing.T) {
	table := numbersIn("| skew-normal | d = 1000 | 3.814e+05 | 76.9 | 2e-16 |\n| t | 1,024 | 0.31 | 6.7 |")
	for text, want := range map[string]string{
		"77 times (1e-16 [tests/a/TABLE.md](tests/a/TABLE.md))": "77:true 1e-16:false",
		"76 times, 76.9 times, 76.90 times":                     "76:false 76.9:true 76.90:true",
		"a seventh, a sixth, a third, 31 percent":               "31 percent:true seventh:true sixth:false third:true",
		"380,000 of 1,024 and 1,025 with `tests/b 5`":           "380,000:true 1,024:true 1,025:false",
	} {
		var got []string
		for _, q := range quotations(text) {
			got = append(got, q.text+":"+strconv.FormatBool(q.of(table)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
	if got := sentences("One is 5 (`a`). Two\nis 6: it is.\n\n| 7 | [x](y) |\n| 8 |"); len(got) != 4 {
		t.Errorf("%q are not 4 sentences", got)
	}
}

// sentences are those of the paragraphs of a document, and the rows of its tables. Blocks of code have none.
func sentences(text string) (out []string) {
	paragraph := ""
	end := func() {
		if paragraph != "" {
			out = append(out, strings.Split(sentenceEnd.ReplaceAllString(paragraph, "$1\n$2"), "\n")...)
		}
		paragraph = ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "|"):
			end()
			out = append(out, line)
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "    "):
			end()
		default:
			paragraph += line + " "
		}
	}
	end()
	return out
}

// tablesOf are the numbers of the tables whose folders a sentence names.
func tablesOf(t *testing.T, sentence string) (out [][]float64) {
	for _, folder := range tableFolder.FindAllString(sentence, -1) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(folder), "TABLE.md"))
		switch {
		case err == nil:
			out = append(out, numbersIn(string(text)))
		case strings.Contains(sentence, folder+"/TABLE.md"):
			t.Error(err)
		}
	}
	return out
}

// numbersIn are the numbers of a text.
func numbersIn(text string) (out []float64) {
	for _, m := range tableNumber.FindAllString(text, -1) {
		if v, err := strconv.ParseFloat(strings.ReplaceAll(m, ",", ""), 64); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// A quotation is a number as a document writes it, or one of two ways to say a share.
type quotation struct {
	text   string
	values []float64
	within float64 // half a unit of the last digit
}

// quotations are the numbers in a sentence, but for those of code and links: in digits, and shares, a third or 33 percent.
func quotations(sentence string) (out []quotation) {
	plain := codeOrLink.ReplaceAllString(sentence, " ")
	for _, m := range numeral.FindAllStringSubmatch(plain, -1) {
		v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		if err != nil {
			continue
		}
		q := quotation{strings.TrimSpace(m[1] + m[2]), []float64{v}, lastDigit(m[1]) / 2}
		if m[2] != "" {
			q.values, q.within = []float64{v, v / 100}, q.within/100
		}
		out = append(out, q)
	}
	for _, m := range fraction.FindAllStringSubmatch(plain, -1) {
		if n, ok := parts[m[1]]; ok {
			out = append(out, quotation{m[1], []float64{n}, -0.5})
		}
	}
	return out
}

// lastDigit is the unit of the last digit of a numeral, where final zeros of thousands are none.
func lastDigit(numeral string) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ReplaceAll(numeral, ",", ""), "e")
	power, _ := strconv.Atoi(exponent)
	whole, decimals, _ := strings.Cut(mantissa, ".")
	if decimals == "" && len(whole) > 3 {
		power += len(whole) - len(strings.TrimRight(whole, "0"))
	}
	return math.Pow10(power - len(decimals))
}

// of reports whether a number of a table is what is quoted; of a share of 1/n that is n times too.
func (q quotation) of(table []float64) bool {
	return slices.ContainsFunc(table, func(y float64) bool {
		for _, v := range q.values {
			if q.within < 0 && (within(v, y, -q.within) || y != 0 && within(v, 1/y, -q.within)) || within(v, y, q.within) {
				return true
			}
		}
		return false
	})
}

func within(v, y, most float64) bool { return math.Abs(v-y) <= most*(1+1e-9) }
