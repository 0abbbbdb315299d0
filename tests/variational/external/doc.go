// Package external holds packages that are generated for log-densities in Go, as users with models of their own do.
package external

//go:generate go run ../../../cmd/sngdgen generate models.yaml
