// Package ladder tests ladders of approximations of posteriors: packages of all approximations of the library, for log-densities
// in Go.
package ladder

//go:generate go run ../../cmd/sngdgen generate models.yaml
