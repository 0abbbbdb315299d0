// Package sngdgen holds the sources that the command sngdgen carries in itself, to compile the specs of users with. The
// command is in cmd/sngdgen; generated packages use package runtime; nothing else is meant for import.
package sngdgen

import "embed"

// Sources holds what a compiled spec is linked with, at its place in the module.
//
//go:embed go.mod go.sum
//go:embed runtime internal/build/worker internal/disk
var Sources embed.FS

// OutputSchema is the JSON Schema of what the commands of sngdgen print with --json.
//
//go:embed docs/output.schema.json
var OutputSchema []byte
