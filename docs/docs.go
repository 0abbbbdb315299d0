// Package docs has the data that the documents read, for who shows them elsewhere.
package docs

import "embed"

// Data are the files of the folder data that the page of the studio offers.
//
//go:embed data/sheep.csv
var Data embed.FS
