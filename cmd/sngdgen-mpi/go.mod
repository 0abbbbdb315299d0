module github.com/sngdgen/sngdgen/cmd/sngdgen-mpi

go 1.26.0
