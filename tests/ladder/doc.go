// Package ladder tests ladders of approximations of posteriors: packages of all approximations of the library, for log-densities
// in Go, which are generated and compiled by the test that runs the others.
package ladder
