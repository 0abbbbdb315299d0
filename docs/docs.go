// Package docs has the data that the documents read, for who shows them elsewhere.
package docs

import "embed"

// Data are the files of the folder data.
//
//go:embed data
var Data embed.FS
