//go:build !js

// Command wasm is the studio in a browser: GOOS=js GOARCH=wasm go build makes what a page loads.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this program is for browsers: go run ./internal/studio/static DIR builds the page that loads it")
	os.Exit(2)
}
