module github.com/sngdgen/sngdgen/internal/site

go 1.26.0

require (
	github.com/sngdgen/sngdgen v0.0.0
	github.com/yuin/goldmark v1.8.7
)

replace github.com/sngdgen/sngdgen => ../..
