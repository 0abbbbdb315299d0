package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// Checksum identifies what a problem says: its file and those with the definitions that it uses, of the library and of its imports, without
// comments, spaces, documentation and names of files. What has the same checksum means the same to one version of the generator.
func (p *Problem) Checksum() string {
	c := &checksummer{seen: map[*diag.Source]bool{}}
	c.visit(p.Source, p.scope)
	if p.Approximation != nil {
		c.visit(p.Approximation.Source, p.scope)
	}
	for _, d := range []definition{{distribution: p.TargetDist}, {family: p.TargetFamily}, {family: p.Surrogate}} {
		c.define(d)
	}
	if p.Surrogate != nil {
		for _, f := range p.Surrogate.Factors {
			c.define(definition{family: f.Family})
		}
	}
	slices.Sort(c.sums) // where a definition was found does not matter
	sum := sha256.Sum256([]byte(strings.Join(c.sums, "\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// checksummer goes through files and the definitions that are named in them.
type checksummer struct {
	seen map[*diag.Source]bool
	sums []string
}

func (c *checksummer) define(d definition) {
	switch {
	case d.distribution != nil:
		c.visit(d.distribution.Source, d.distribution.scope)
	case d.family != nil:
		c.visit(d.family.Source, d.family.scope)
	}
}

// word is what may be a name.
var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`) })

func (c *checksummer) visit(src *diag.Source, s *scope) {
	if src == nil || c.seen[src] {
		return
	}
	c.seen[src] = true
	var text strings.Builder
	r := &reader{src: src, diags: new(diag.List), broken: map[*yaml.Node]bool{}}
	roots, _ := r.documents()
	for _, root := range roots {
		writeNode(&text, withoutVersion(root))
	}
	sum := sha256.Sum256([]byte(text.String()))
	c.sums = append(c.sums, hex.EncodeToString(sum[:]))
	named := map[string]bool{}
	for _, name := range word().FindAllString(text.String(), -1) {
		if named[name] {
			continue
		}
		named[name] = true
		for _, d := range s.lookup(name) {
			c.define(d)
		}
		for _, f := range s.lookupFunction(name) {
			c.visit(f.Source, f.scope)
		}
	}
}

// withoutVersion is a document without the version of the language, which does not say what the document means.
func withoutVersion(root *yaml.Node) *yaml.Node {
	out := *root
	out.Content = nil
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != "version" {
			out.Content = append(out.Content, root.Content[i], root.Content[i+1])
		}
	}
	return &out
}

// writeNode writes what a node says, in a form that is one for each meaning.
func writeNode(b *strings.Builder, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		fmt.Fprintf(b, "%q ", strings.Join(strings.Fields(n.Value), " "))
		return
	}
	fmt.Fprintf(b, "%d(", n.Kind)
	for i := 0; i < len(n.Content); i++ {
		if n.Kind == yaml.MappingNode && i%2 == 0 && (n.Content[i].Value == "doc" || n.Content[i].Value == "import") {
			i++ // words for people; what is imported is visited where it is used
			continue
		}
		writeNode(b, n.Content[i])
	}
	b.WriteString(")")
}
