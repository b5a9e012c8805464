.PHONY: build test race lint bench fuzz demo

FUZZTIME ?= 20s

build:
	go build -trimpath -o bin/proxy ./cmd/proxy

test:
	go test ./...

race:
	go test -race ./...

lint:
	@test -z "$$(gofmt -l .)" || { echo "not gofmt'ed:"; gofmt -l .; exit 1; }
	go vet ./...
	go tool staticcheck ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Every fuzz target for FUZZTIME.
fuzz:
	@set -e; for pkg in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "== $$pkg $$target"; \
	    go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg; \
	  done; \
	done

demo:
	go run ./cmd/proxy demo
