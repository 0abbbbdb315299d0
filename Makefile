# What developers run. Everything works with the go command alone; this file only names it.

.PHONY: all test race generate check bench paper studio site gallery

all: generate test

# All tests: the same command as in the README and in .ci/run.
test:
	go test ./...

# Data races where several goroutines share passes and groups of draws. Needs a C compiler, and some ten minutes.
race:
	CGO_ENABLED=1 go test -race ./runtime/workers ./runtime/support ./runtime/ranges ./runtime ./runtime/estimate
	CGO_ENABLED=1 go test -race ./tests/engines -run 'TestWorkers|TestProcesses'

# generated/ and docs/reference.md, from spec/library and the tables of the code.
generate:
	go run ./internal/genlibrary
	go generate ./tests/paper/synthetic ./tests/steps

# docs/gallery.md and docs/gallery: pages and pictures of examples, from internal/gallery/gallery.yaml.
gallery:
	go run ./internal/gallery

# What .ci/run does.
check:
	bash .ci/run

bench:
	go test -run '^$$' -bench . ./tests/sheep ./tests/steps ./generated/...

# Every figure and table of the paper on one page, paper.html; files of data that cannot be shipped are flags:
# make paper PAPER='-covertype FILE -miniboone FILE -admissions FILE -returns FILE'
paper:
	go run ./tests/paper $(PAPER)

# The page of the studio for any host of files, in docs/studio; its program is compiled to WebAssembly.
studio:
	go run ./internal/studio/static

# The documents as a site, in docs/site, with the studio in it.
site:
	go run -C internal/site . ../../docs/site
	go run ./internal/studio/static docs/site/studio
