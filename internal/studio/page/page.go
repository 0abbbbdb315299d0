// Package page has the files of the page of the studio, which are the same with a server and without one.
package page

import (
	"bytes"
	"embed"
	"io/fs"

	"github.com/sngdgen/sngdgen/docs"
)

//go:embed files
var files embed.FS

// Engine says what answers the page: a server, or the browser by WebAssembly.
type Engine string

// The engines.
const (
	Server  Engine = "server"
	Browser Engine = "browser"
)

// Policy is the security policy of the page's content: it loads its own files and nothing else, and compiles WebAssembly.
const Policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'"

// Files returns the files of the page by their names, for an engine.
func Files(e Engine) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, from := range []struct {
		fs     fs.FS
		folder string
	}{{files, "files"}, {docs.Data, "data"}} {
		list, err := fs.ReadDir(from.fs, from.folder)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if out[f.Name()], err = fs.ReadFile(from.fs, from.folder+"/"+f.Name()); err != nil {
				return nil, err
			}
		}
	}
	index := bytes.ReplaceAll(out["index.html"], []byte("{{engine}}"), []byte(e))
	out["index.html"] = bytes.ReplaceAll(index, []byte("{{policy}}"), []byte(Policy))
	return out, nil
}
