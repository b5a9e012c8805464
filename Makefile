.PHONY: build test race lint bench fuzz study hostile faults kills fleet load soak compare formats recorded demo leakscan models conversations shared-conversations agents deploy-check cross

FUZZTIME ?= 20s

# The version of the program: the tag that is checked out, else the file VERSION.
VERSION ?= $(shell git describe --tags --dirty 2>/dev/null || cat VERSION)

build:
	go build -trimpath -tags nomsgpack -ldflags "-s -w -X killick/internal/buildinfo.stamped=$(VERSION)" -o bin/killick ./cmd/proxy

test:
	go test ./...

race:
	go test -race -timeout 40m ./...

lint:
	@test -z "$$(gofmt -l .)" || { echo "not gofmt'ed:"; gofmt -l .; exit 1; }
	go tool -modfile=tools/go.mod golangci-lint run --allow-parallel-runners ./...
	@! go tool -modfile=tools/go.mod deadcode ./cmd/... ./internal/loadtest ./internal/agents | grep -v '^internal/fake'

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Every fuzz target for FUZZTIME.
fuzz:
	@set -e; for pkg in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "== $$pkg $$target"; \
	    go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg; \
	  done; \
	done

# 100,000 requests with a fault drawn for each; 50 kills under load.
FAULTS ?= 100000
KILLS ?= 50

faults:
	KILLICK_FAULTS=$(FAULTS) go test ./internal/e2e -run TestFaultedRequests -v -timeout 60m

kills:
	KILLICK_KILLS=$(KILLS) go test ./internal/e2e -run TestKilledAgainAndAgain -v -timeout 30m

# Recorded sessions over two and five replicas that share a redis-server (apt-get install redis-server
# iproute2), a sample of them; stores that Sentinel or a cluster fails over.
FLEET ?= 1

fleet:
	KILLICK_FLEET=$(FLEET) go test ./internal/e2e/fleet -count=1 -v -timeout 1h

# 10,000 concurrent conversations in the store: disk and memory stay within their limits.
CONVERSATIONS ?= 10000

conversations:
	KILLICK_CONVERSATIONS=$(CONVERSATIONS) go test ./cache -count=1 -run '^TestManyConversations$$' -v -timeout 3h

# A million conversations in a store that replicas share, on redis-server (apt-get install
# redis-server), and on disk: memory, round trips, latency. SHAREDFLAGS: see -h of the command.
SHAREDFLAGS ?= -svg docs/shared-conversations.svg

shared-conversations:
	go run ./internal/loadtest shared $(SHAREDFLAGS)

# All recorded conversations in every wire format, with thinking, reasoning and cache marks, and 10,000 mutated requests of
# each; then the processor time and the latency of the formats side by side.
MUTATED ?= 10000

formats: build
	KILLICK_FORMATS=all KILLICK_MUTATED=$(MUTATED) go test ./internal/e2e/formats -count=1 -v -timeout 2h
	go run ./internal/loadtest formats

# The tests that otherwise replay a sample of the recorded conversations, with all of them.
recorded:
	KILLICK_RECORDED=all KILLICK_FORMATS=all go test ./compactor ./internal/fakemessages ./internal/e2e \
	  -count=1 -run 'Recorded|RealConversations|Grounded' -timeout 2h

# 500 streams and 1,000 chats a second for a minute; then conversations with
# compaction on for two.
load: build
	go run ./internal/loadtest load

soak: build
	go run ./internal/loadtest soak

# Compared with a bare httputil.ReverseProxy and nginx (apt-get install nginx-light), each on one CPU, with
# source code as text: under the trigger and over it, with many live conversations, after a start.
compare: build
	go run ./internal/loadtest compare

# A hundred thousand random requests through the wired proxy.
hostile:
	KILLICK_HOSTILE=100000 go test -run '^TestHostileRequests$$' -timeout 3h -v ./internal/e2e

# Sessions that hold credentials and marked words, then a search of all that is
# left behind.
leakscan:
	KILLICK_LEAKSCAN=200 go test -run '^TestNothingLeaks$$' -timeout 1h -v ./internal/e2e

demo:
	go run ./cmd/proxy demo

STUDY ?= 10

# How many true and false statements of scripted models are accepted, over conversations written for it and those of
# shared/data or KILLICK_DATA, through the functions that the program calls.
study:
	go test ./probe -count=1 -timeout 1h -run 'Liars|Honest|False|Foreign|Altered|Quiz|Controls|Verifiers|TakenBack' -v
	KILLICK_STUDY=$(STUDY) go test ./internal/e2e -count=1 -timeout 1h -run '^(TestDiscrimination|TestLiarsOverHTTP|TestApprovingVerifiersAreNotBelieved)$$' -v

# Long real conversations with every misbehaviour of a scripted model: fails if one costs recall.
models:
	KILLICK_ALL_MODELS=12 go test ./internal/e2e -count=1 -timeout 1h -run '^TestMisbehavingModels$$' -v

# Real coding agents, installed with npm into a cache folder, directly and through the proxy.
# AGENTFLAGS: -agents NAMES, -turns 35,120, -saves FORMATS, -early, -requests.
AGENTFLAGS ?=

agents: build
	go run ./internal/agents $(AGENTFLAGS)

# The files of deployments: the unit by systemd, nginx.conf by nginx, the Dockerfile and
# docker-compose.yml by their own parsers, the chart by Helm's engine and the types of Kubernetes.
# The tools have a module file of their own. PARTS=cheap leaves out what needs them.
PARTS ?= all

deploy-check:
	.ci/deployment $(PARTS)

# Every platform that is released, as .goreleaser.yaml builds it.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

cross:
	@set -e; for platform in $(PLATFORMS); do \
	  echo "== $$platform"; \
	  CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} go build -trimpath -tags nomsgpack \
	    -ldflags "-s -w -X killick/internal/buildinfo.stamped=$(VERSION)" \
	    -o bin/$$(echo killick-$$platform | tr / -) ./cmd/proxy; \
	done
