package readme_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// image is a picture in a document, on a line of its own.
var image = regexp.MustCompile(`^!\[.*\]\((.*\.svg)\)$`)

// pictures compares the pictures of a document with those that its commands have drawn in the folder of the session.
func (s *session) pictures(t *testing.T, file string, lines []string) {
	t.Helper()
	for i, line := range lines {
		m := image.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		shown := filepath.Join(root, filepath.Dir(file), m[1])
		drawn, err := os.ReadFile(filepath.Join(s.dir, m[1]))
		if err != nil {
			t.Errorf("%s:%d: %v", file, i+1, err)
			continue
		}
		if *update {
			if err := os.WriteFile(shown, drawn, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		before, err := os.ReadFile(shown)
		if err != nil {
			t.Fatal(err)
		}
		if d := comparePictures(before, drawn); d != "" {
			t.Errorf("%s:%d: %s: %s", file, i+1, m[1], d)
		}
	}
}

// near is how far apart, in points, the same parts of two pictures may be: digits of fits differ between machines.
const near = 1.5

// comparePictures says where two pictures differ: in what they consist of, in their texts, or in where their parts are.
func comparePictures(shown, drawn []byte) string {
	a, errA := shapes(shown)
	b, errB := shapes(drawn)
	if err := errors.Join(errA, errB); err != nil {
		return err.Error()
	}
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(b):
			return fmt.Sprintf("missing is %s", a[i].what)
		case i >= len(a):
			return fmt.Sprintf("not shown is %s", b[i].what)
		case !sameLine(a[i].what, b[i].what):
			return fmt.Sprintf("shown is %s, drawn %s", a[i].what, b[i].what)
		}
		for k := range a[i].box {
			if !(math.Abs(a[i].box[k]-b[i].box[k]) <= near) {
				return fmt.Sprintf("%s: shown in %v, drawn in %v", a[i].what, a[i].box, b[i].box)
			}
		}
	}
	return ""
}

// shape is a part of a picture.
type shape struct {
	what string     // its element and style, or a text
	box  [4]float64 // around it
}

// shapes reads a picture.
func shapes(svg []byte) (out []shape, err error) {
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		switch e := token.(type) {
		case xml.StartElement:
			s := shape{what: e.Name.Local}
			for _, a := range e.Attr {
				switch a.Name.Local {
				case "style":
					s.what += " " + a.Value
				case "d":
					s.box = around(a.Value)
				}
			}
			out = append(out, s)
		case xml.CharData:
			if text := strings.TrimSpace(string(e)); text != "" {
				out = append(out, shape{what: text})
			}
		}
	}
}

var stroke = regexp.MustCompile(`[A-Z][^A-Z]*`)

// around is the box around the points of a path.
func around(path string) [4]float64 {
	box := [4]float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, command := range stroke.FindAllString(path, -1) {
		at := strings.FieldsFunc(command[1:], func(r rune) bool { return r == ',' || r == ' ' })
		if len(at) < 2 {
			continue
		}
		for k, text := range at[len(at)-2:] { // where it ends
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				x = math.NaN()
			}
			box[k], box[k+2] = math.Min(box[k], x), math.Max(box[k+2], x)
		}
	}
	return box
}

func TestComparePictures(t *testing.T) {
	picture := func(parts ...string) []byte { return []byte("<svg>" + strings.Join(parts, "") + "</svg>") }
	line, moved := `<path d="M0,0L10,20" style="fill:none"/>`, `<path d="M0,0L10,25" style="fill:none"/>`
	dot, text := `<path d="M5,5A1,1 0 1 1 3,5Z" style="fill:#fff"/>`, `<text>nu 1.25</text>`
	for _, c := range []struct {
		a, b []byte
		same bool
	}{
		{picture(line, dot, text), picture(line, dot, `<text>nu 1.26</text>`), true},
		{picture(line, dot), picture(`<path d="M0.5,0L4,8L10,19" style="fill:none"/>`, dot), true},
		{picture(line, dot), picture(line), false},
		{picture(line), picture(line, dot), false},
		{picture(line, dot), picture(moved, dot), false},
		{picture(text), picture(`<text>mu 1.25</text>`), false},
		{picture(line), picture(`<path d="M0,0L10,20" style="fill:red"/>`), false},
	} {
		if d := comparePictures(c.a, c.b); (d == "") != c.same {
			t.Errorf("%s and %s: %q", c.a, c.b, d)
		}
	}
}
