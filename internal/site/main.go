// Command site builds the documents as a site: pages of HTML with a search that needs no server. It is a module of its own, so that
// nobody needs a library for Markdown who does not build it.
//
//	go run -C internal/site . FOLDER
//
// The folder is relative to this one: ../../docs/site, say.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run -C internal/site . FOLDER")
		os.Exit(2)
	}
	pages, err := build("../..", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d pages\n", os.Args[1], pages)
}
