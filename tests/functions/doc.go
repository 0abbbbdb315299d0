// Package functions tests functions of one's own and integrals in compiled code.
package functions
