// Command sngdgen turns specs into specialised optimisers, and fits them to data.
//
// Run sngdgen --help for its commands, and see the README of the module.
package main

import "os"

func main() {
	delayCollection()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
