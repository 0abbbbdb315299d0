// Package rivals compares the command sngdgen with independent software on public data sets, which packages of R and
// Python ship. It holds what the comparisons share: the list of the data sets, their export to a cache folder outside the
// repository, and how the others and sngdgen are run. README.md names the packages that are needed.
package rivals
