package spec

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// Version is that of the language of specs: it grows when what a spec says would mean something else. A file says which one it is written in by
// the key version of its first document; a file that does not is of version 1.
const Version = 1

// takeVersion reads the version of a file off its first document, as it is no matter of what the document defines.
func (d *documents) takeVersion(o *object) {
	first := !d.begun
	d.begun = true
	for i, e := range o.entries {
		if e.key != "version" {
			continue
		}
		o.entries = append(o.entries[:i:i], o.entries[i+1:]...)
		if !first {
			d.r.diags.Errorf(e.span, msgVersionPlace).WithHint("it holds for all documents of a file")
			return
		}
		d.checkVersion(e)
		return
	}
}

func (d *documents) checkVersion(e entry) {
	p, ok := d.r.exact(e.value, "the version", "a number")
	if !ok {
		return
	}
	switch n, err := strconv.Atoi(p.text); {
	case err != nil || n < 1:
		d.r.diags.Errorf(p.whole(), msgNoVersion, clip(p.text)).WithHint("the newest version is %d", Version)
	case n > Version:
		d.r.diags.Errorf(p.whole(), msgNewVersion, n, Version).WithHint("a newer sngdgen reads it")
	}
}

// Migrate returns the text of a file in the newest version of the language, nil when the list has errors. Comments and layout stay as they are,
// and so does what the file means. As there is one version yet, what a file may lack is to say so.
func Migrate(name string, text []byte, resolve func(importPath string) ([]byte, error)) ([]byte, diag.List) {
	_, diags := Parse(name, text, resolve)
	if diags.HasErrors() {
		return nil, diags
	}
	r := &reader{src: newSource(name, text), diags: new(diag.List), broken: map[*yaml.Node]bool{}}
	roots, _ := r.documents()
	if saysVersion(roots[0]) {
		return text, diags
	}
	first := roots[0].Content[0]
	mark := 0
	if bytes.HasPrefix(text, byteOrderMark) {
		mark = len(byteOrderMark)
	}
	at := max(r.src.Offset(first.Line, first.Column), mark)
	line := fmt.Sprintf("version: %d", Version)
	if roots[0].Style&yaml.FlowStyle != 0 {
		return insert(text, at, line+", "), diags
	}
	begin := max(bytes.LastIndexByte(text[:at], '\n')+1, mark)
	indent := len(text[begin:at]) - len(bytes.TrimLeft(text[begin:at], " "))
	return insert(text, begin, string(text[begin:begin+indent])+line+"\n"), diags
}

// MigrateFile is Migrate for a file, whose text it returns too.
func MigrateFile(name string) (text, migrated []byte, diags diag.List) {
	name = filepath.ToSlash(name)
	if text, diags = readSpec(name); diags.HasErrors() {
		return nil, nil, diags
	}
	migrated, diags = Migrate(name, text, openOnDisk)
	return text, migrated, diags
}

var byteOrderMark = []byte("\ufeff")

func saysVersion(root *yaml.Node) bool {
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value == "version" {
			return true
		}
	}
	return false
}

func insert(text []byte, at int, what string) []byte {
	return slices.Concat(text[:at], []byte(what), text[at:])
}
