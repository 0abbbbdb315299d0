// Command static builds the page of the studio for any host of files: the page, its program as WebAssembly, and what loads it.
//
//	go run ./internal/studio/static [FOLDER]
//
// The folder is docs/studio where none is named.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sngdgen/sngdgen/internal/studio/page"
)

func main() {
	folder := filepath.Join("docs", "studio")
	if len(os.Args) > 2 || len(os.Args) == 2 && strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/studio/static [FOLDER]")
		os.Exit(2)
	}
	if len(os.Args) == 2 {
		folder = os.Args[1]
	}
	if err := build(folder); err != nil {
		fmt.Fprintln(os.Stderr, "static:", err)
		os.Exit(1)
	}
}

// build writes all files into a folder.
func build(folder string) error {
	files, err := page.Files(page.Browser)
	if err != nil {
		return err
	}
	program, err := compiled()
	if err != nil {
		return err
	}
	if files["studio.wasm.gz"], err = zipped(program); err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	loader := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js") // of the toolchain that has compiled the program
	if files["wasm_exec.js"], err = os.ReadFile(loader); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	total := 0
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			return err
		}
		total += len(text)
	}
	fmt.Printf("%s: %d files, %.1f MB, of which the program is %.1f MB (%.1f MB before gzip)\n", folder, len(files), mb(total),
		mb(len(files["studio.wasm.gz"])), mb(len(program)))
	return nil
}

func mb(bytes int) float64 { return float64(bytes) / 1e6 }

// compiled compiles the program for browsers.
func compiled() ([]byte, error) {
	dir, err := os.MkdirTemp("", "studio")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "studio.wasm")
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "github.com/sngdgen/sngdgen/internal/studio/wasm")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w", err)
	}
	return os.ReadFile(out)
}

// zipped is the same with the same bytes each time.
func zipped(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
