package main

import (
	"embed"

	"github.com/alecthomas/kong"
)

// helpTexts are shown below the summary of each command: what flags do not say, and examples.
//
//go:embed help/*.txt
var helpTexts embed.FS

// addHelp gives each command its text.
func addHelp(model *kong.Application) {
	for _, c := range model.Leaves(true) {
		if text, err := helpTexts.ReadFile("help/" + c.Name + ".txt"); err == nil {
			c.Detail = string(text)
		}
	}
}
