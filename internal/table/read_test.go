package table

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/tools/txtar"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestRead(t *testing.T) {
	col := func(names ...string) Options { return Options{Columns: names} }
	tests := map[string]struct {
		text    string
		o       Options
		want    []float64
		weights []float64
		names   []string
	}{
		"header":           {text: "ticks\n0\n3\n", want: []float64{0, 3}, names: []string{"ticks"}},
		"no header":        {text: "0\n3\n", want: []float64{0, 3}, names: []string{"column 1"}},
		"one number":       {text: "7", want: []float64{7}},
		"CRLF and BOM":     {text: "\ufeffticks\r\n0\r\n3\r\n", want: []float64{0, 3}, names: []string{"ticks"}},
		"comments":         {text: "# ticks on sheep\nticks\n# more\n1\n#2\n3\n", want: []float64{1, 3}},
		"blank at the end": {text: "x\n1\n2\n\n  \n\n", want: []float64{1, 2}},
		"blank before":     {text: "\n\nx\n1\n2\n", want: []float64{1, 2}},
		"blank, columns":   {text: "x,y\n1,a\n\n2,b\n", want: []float64{1, 2}},
		"spaces":           {text: "x , y\n 1 , a\n2 ,b\n", want: []float64{1, 2}, names: []string{"x"}},
		"quoted":           {text: "\"a \"\"b\"\", c\",y\n\"1\",\"p\nq\"\n2,r\n", want: []float64{1, 2}, names: []string{`a "b", c`}},
		"TSV":              {text: "x\tname\n1\ta,b\n2\tc,d\n", want: []float64{1, 2}},
		"semicolon":        {text: "name;x\na;1\nb;2e3\n", want: []float64{1, 2000}, names: []string{"x"}},
		"only numeric":     {text: "date,admissions\n2020-04-01,3099\n2020-04-02,2932\n", want: []float64{3099, 2932}},
		"by name":          {text: "x,y\n1,2\n3,4\n", o: col("y"), want: []float64{2, 4}, names: []string{"y"}},
		"by number":        {text: "x,y\n1,2\n3,4\n", o: col("2"), want: []float64{2, 4}, names: []string{"y"}},
		"by number, bare":  {text: "1,2\n3,4\n", o: col("2"), want: []float64{2, 4}, names: []string{"column 2"}},
		"a year as name":   {text: "2019,2020\n1,2\n3,4\n", o: col("2020"), want: []float64{2, 4}, names: []string{"2020"}},
		"several":          {text: "x,y,z\n1,2,3\n4,5,6\n", o: col("z", "x"), want: []float64{3, 1, 6, 4}, names: []string{"z", "x"}},
		"list":             {text: "x,y,z\n1,2,3\n4,5,6\n", o: col("z, 1"), want: []float64{3, 1, 6, 4}, names: []string{"z", "x"}},
		"comma in a name":  {text: "\"x,y\",z\n1,2\n", o: col("x,y"), want: []float64{1}, names: []string{"x,y"}},
		"all":              {text: "x,who,z,n\n1,a,3,7\n4,b,6,8\n", o: Options{Several: true, Weights: "n"}, want: []float64{1, 3, 4, 6}, weights: []float64{7, 8}, names: []string{"x", "z"}},
		"all, bare":        {text: "1,2\n3,4\n", o: Options{Several: true}, want: []float64{1, 2, 3, 4}, names: []string{"column 1", "column 2"}},
		"all, just one":    {text: "x\n1\n2\n", o: Options{Several: true}, want: []float64{1, 2}, names: []string{"x"}},
		"unnamed index":    {text: ",ticks\n0,5\n1,6\n", o: col("2"), want: []float64{5, 6}},
		"unnamed chosen":   {text: ",ticks\n0,5\n1,6\n", o: col("1"), want: []float64{0, 1}, names: []string{"column 1"}},
		"weights":          {text: "x,n\n1,10\n2,20\n", o: Options{Weights: "n"}, want: []float64{1, 2}, weights: []float64{10, 20}},
		"weights, bare":    {text: "1,10\n2,20\n", o: Options{Weights: "2"}, want: []float64{1, 2}, weights: []float64{10, 20}},
		"weights and name": {text: "id,x,n\n7,1,10\n8,2,20\n", o: Options{Weights: "3", Columns: []string{"x"}}, want: []float64{1, 2}, weights: []float64{10, 20}},
		"forms of numbers": {text: "+1\n-2.5\n.5\n1e-3\n1E+3\n", want: []float64{1, -2.5, .5, 1e-3, 1e3}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Read(strings.NewReader(tc.text), tc.o)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Values, tc.want) || !slices.Equal(got.Weights, tc.weights) {
				t.Errorf("got %v, weights %v; want %v, weights %v", got.Values, got.Weights, tc.want, tc.weights)
			}
			if tc.names != nil && !slices.Equal(got.Columns, tc.names) {
				t.Errorf("columns %q, want %q", got.Columns, tc.names)
			}
		})
	}
}

// TestCommas: among several columns one with decimal commas is not left out, but refused.
func TestCommas(t *testing.T) {
	_, err := Read(strings.NewReader("x;y\n1;1,5\n2;2,5\n"), Options{Name: "c.csv", Several: true})
	want := "c.csv:2:3: \"1,5\" is not a number (y, row 1)\nc.csv:3:3: \"2,5\" is not a number (y, row 2)\nhint: " + commaHint
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	data, err := Read(strings.NewReader("x;y\n1;a, b\n2;c\n"), Options{Several: true})
	if err != nil || len(data.Columns) != 1 || len(data.Ignored) != 1 {
		t.Errorf("%+v, %v", data, err)
	}
}

// TestErrors compares messages with testdata/errors.txtar: a file named after each case, then the message in
// <name>.want. Options stand in the comment of the archive, as "name: --column x --weights y".
func TestErrors(t *testing.T) {
	golden := filepath.Join("testdata", "errors.txtar")
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	options := parseOptions(string(archive.Comment))
	for i := 0; i+1 < len(archive.Files); i += 2 {
		in, want := archive.Files[i], &archive.Files[i+1]
		if want.Name != in.Name+".want" {
			t.Fatalf("%s is followed by %s", in.Name, want.Name)
		}
		_, err := readBytes(in.Name, in.Data, options[in.Name])
		if err == nil {
			t.Errorf("%s: no error", in.Name)
			continue
		}
		if got := err.Error() + "\n"; *update {
			want.Data = []byte(got)
		} else if got != string(want.Data) {
			t.Errorf("%s:\n got: %s\nwant: %s", in.Name, got, want.Data)
		}
	}
	if *update {
		if err := os.WriteFile(golden, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func parseOptions(text string) map[string]Options {
	all := map[string]Options{}
	for line := range strings.Lines(text) {
		name, flags, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		var o Options
		words := strings.Fields(flags)
		for i := 0; i < len(words); i += 2 {
			switch words[i] {
			case "--several":
				o.Several = true
			case "--weights":
				o.Weights = words[i+1]
			default:
				o.Columns = append(o.Columns, words[i+1])
			}
		}
		all[name] = o
	}
	return all
}

func readBytes(name string, data []byte, o Options) (*Table, error) {
	o.Name = name
	return Read(bytes.NewReader(data), o)
}

func TestErrorsOfFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := map[string]struct{ path, want string }{
		"missing":   {filepath.Join(dir, "none.csv"), "none.csv: cannot read the data: "},
		"folder":    {dir, "cannot read the data: "},
		"not gzip":  {write("x.csv.gz", "1\n2\n"), "x.csv.gz: named .gz, but the content is not gzip\nhint: "},
		"cut gzip":  {write("y.csv.gz", string(zipped(t, "1\n2\n")[:20])), "unexpected EOF"},
		"bad gzip":  {write("z.csv.gz", "\x1f\x8b\x00\x00"), "z.csv.gz: cannot read the data: "},
		"a sheet":   {write("x.xlsx", "PK\x03\x04....."), "a zip archive or a spreadsheet, not a table of text\nhint: save the sheet as CSV"},
		"no mark":   {write("x.txt", "1\x00\n\x00"), "text in UTF-16 without a byte order mark\nhint: save the file as UTF-8"},
		"UTF-32":    {write("y.txt", "\xff\xfe\x00\x001\x00\x00\x00\n\x00\x00\x00"), "y.txt: text in UTF-32\nhint: save the file as UTF-8"},
		"UTF-16":    {write("z.txt", utf16Text("x\r\n1\r\ntwo\r\n", binary.LittleEndian)), "z.txt:3:1: "},
		"empty":     {write("e.csv", ""), "no data: the file is empty"},
		"title":     {write("t.csv", "ticks\n"), "no data: the file has a header only"},
		"titles":    {write("u.csv", "ticks,fleas\n"), "no data: the file has a header only"},
		"a quote":   {write("q.csv", "# of 1941\n\"ticks\n4\n5\n"), "q.csv:4:3: extraneous or missing "},
		"only mark": {write("m.csv", "\ufeff"), "no data: the file is empty"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ReadFile(tc.path, nil, Options{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want ...%s...", err, tc.want)
			}
		})
	}
}

// utf16Text is a text in UTF-16 with a byte order mark.
func utf16Text(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// TestUTF16: text in UTF-16 with a byte order mark is read as the same text in UTF-8, compressed or not.
func TestUTF16(t *testing.T) {
	const text = "größe\t\U0001f411\r\n1.5\t-2e3\r\n\r\n3\t4\r\n"
	want, wantErr := Read(strings.NewReader(text), Options{})
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, data := range []string{utf16Text(text, order), string(zipped(t, utf16Text(text, order)))} {
			got, err := Read(strings.NewReader(data), Options{})
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
				t.Errorf("%v: %v, %v, want %v, %v", order, got, err, want, wantErr)
			}
		}
	}
}

func TestGzip(t *testing.T) {
	data := zipped(t, "\ufeffticks\n4\n5\n")
	path := filepath.Join(t.TempDir(), "sheep.csv.gz")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, "-"} {
		got, err := ReadFile(name, bytes.NewReader(data), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Values, []float64{4, 5}) {
			t.Errorf("%s: %v", name, got.Values)
		}
	}
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestLocate(t *testing.T) {
	text := "# a comment\nname,ticks\nx,4\n\n\"y\nz\",  -3\nw,5\n"
	got, err := readBytes("sheep.csv", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = got.Locate(support.CheckData(got.Data(), 1, types.Number.Of(types.Count), "x"))
	want := "sheep.csv:6:4: -3 is not a whole number, 0 or more (ticks, row 2)\nhint: the spec declares it a count; --where='ticks>=0' leaves such rows out"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	err = got.Locate(&runtime.DataError{Row: 2, Value: math.Inf(1), Name: "weight", Want: "a finite number, 0 or more"})
	want = "sheep.csv:7: +Inf is not a finite number, 0 or more (weight, row 3)"
	if err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	rows, err := readBytes("parts.csv", []byte("a,b\n0.1,0.9\n0.4,0.3\n"), Options{Several: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		typ  types.Type
		want string
	}{
		{types.Simplex.Of(types.Unit), "parts.csv:3: 0.7 is not 1 (the sum of x, row 2)"},
		{types.Vector.Of(types.Count), "parts.csv:2:1: 0.1 is not a whole number, 0 or more (a, row 1)\n" +
			"hint: counts have no fractions: a mistyped number, or is the variable to be real or positive? --where=a!=0.1 leaves the row out"},
	} {
		if err := rows.Locate(support.CheckData(rows.Data(), 2, c.typ, "x")); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	if other := os.ErrClosed; got.Locate(other) != other {
		t.Error("Locate changed an error that is not about data")
	}
}

// A row may be longer than what most readers take for a line, and columns without numbers are named.
func TestWide(t *testing.T) {
	const width = 20_000
	var b strings.Builder
	for range 3 {
		b.WriteString("name")
		for i := range width {
			b.WriteString("," + strconv.Itoa(i))
		}
		b.WriteByte('\n')
	}
	got, err := Read(strings.NewReader(b.String()), Options{Several: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Columns) != width || got.Rows() != 3 || !slices.Equal(got.Ignored, []string{"column 1"}) {
		t.Errorf("%d columns, %d rows, without %v", len(got.Columns), got.Rows(), got.Ignored)
	}
}

func TestResize(t *testing.T) {
	read := func() *Table {
		got, err := readBytes("f.csv", []byte("x,y,w\n1,2,5\n3,4,6\n"), Options{Columns: []string{"x", "y"}, Weights: "w"})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := read()
	got.Resize(3)
	if !slices.Equal(got.Values, []float64{1, 2, 3, 4, 1, 2}) || !slices.Equal(got.Weights, []float64{5, 6, 5}) || got.Rows() != 3 {
		t.Errorf("3 rows: %+v", got)
	}
	err := got.Locate(&runtime.DataError{Row: 2, Column: 1, Value: 2, Want: "odd"})
	if want := "f.csv:2:3: 2 is not odd (y, row 1)"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	got = read()
	got.Resize(1)
	if !slices.Equal(got.Values, []float64{1, 2}) || got.Rows() != 1 {
		t.Errorf("1 row: %+v", got)
	}
}
