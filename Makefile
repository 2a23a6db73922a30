# The commands of the project. `make help` lists them.
#
# Tools are installed below .tools, pinned here, and never enter go.mod.
SHELL        := /bin/bash -euo pipefail
GO           ?= go
TOOLS        := $(CURDIR)/.tools
GOLANGCI     := $(TOOLS)/golangci-lint-v2.15.0
export GOFLAGS := -mod=readonly

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

.PHONY: build
build: ## Build bin/lakebench
	$(GO) build -o bin/lakebench ./cmd/lakebench

# Vet is part of lint: here it would cost a third of the time.
.PHONY: test
test: ## Every test that needs nothing but Go; see also race, mutants and soak
	@$(GO) list -export ./... >/dev/null # a test in internal/lint reads what this compiles, so it must not be under way
	$(GO) test -vet=off -timeout 20m ./...

# The packages in which goroutines share memory.
RACED := ./internal/backend/... ./internal/meter/... ./internal/sim/... ./manifest/... ./migrate/... ./run/... ./store/... ./wal/... ./workloads/...

.PHONY: race
race: ## The tests of the concurrent packages with the race detector
	$(GO) test -race -short -vet=off -timeout 30m $(RACED)
	$(GO) test -race -vet=off -timeout 15m -run '^TestVirtualRunIsTheSameEverywhere$$' ./cmd/lakebench

.PHONY: mutants
mutants: ## Try every mutant on the test that must catch it, or with CHANGED=COMMIT those that changed since then
	scripts/mutants $(if $(CHANGED),--changed $(CHANGED))

.PHONY: test-real
test-real: build ## The same suites on real servers: DynamoDB Local (needs npm and Java 17) and versitygw
	scripts/test-real

.PHONY: gate
gate: build ## Run every workload small, and fail on what differs from baselines/
	scripts/gate

.PHONY: baselines
baselines: build ## Make what the workloads count now the baselines, where it differs
	scripts/gate --update

# How much diff-soak compares, from which seed on.
REQUESTS ?= 100000
SEED     ?= 1

.PHONY: diff-soak
diff-soak: ## Compare the embedded DynamoDB with DynamoDB Local: REQUESTS random requests from SEED on (minutes)
	scripts/with-dynamodb-local $(GO) test -tags real ./internal/backend/dynamo/difftest -count=1 -timeout 6h -v \
		-run TestRealDifferential -requests $(REQUESTS) -seed $(SEED)

.PHONY: kill-soak
kill-soak: ## Kill the durable embedded DynamoDB 200 times under load
	$(GO) test ./internal/backend/dynamo -count=1 -timeout 60m -v -run '^TestKill$$' -kills 200

.PHONY: bench-real
bench-real: ## Benchmarks beside DynamoDB Local in one run, medians of 5 (needs npm and Java 17)
	scripts/with-dynamodb-local $(GO) test -tags real ./internal/backend/dynamo -count=1 -timeout 60m -v -run TestRealBench -bench-real

.PHONY: lint
lint: $(GOLANGCI) ## gofmt, go vet, golangci-lint, go.mod tidy
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt: the files above are not formatted; run gofmt -w"; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags real ./...
	$(GOLANGCI) run ./...
	$(GO) mod tidy -diff

.PHONY: golangci-lint
golangci-lint: $(GOLANGCI) ## Build the linter

$(GOLANGCI):
	GOFLAGS= GOBIN=$(TOOLS)/new $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
	mv $(TOOLS)/new/golangci-lint $@

.PHONY: deploy-check
deploy-check: ## Hold deploy/kubernetes to the Kubernetes API, without a cluster; a module of its own, whose libraries are no one else's
	cd deploy/kubernetes/check && $(GO) vet ./... && $(GO) test ./...

.PHONY: bench
bench: ## The benchmarks; each stands beside the ceiling measured in the same run
	$(GO) test -run '^$$' -bench . -benchmem ./internal/backend/... ./internal/meter/... ./history/... ./internal/sim/task/... ./store/... ./internal/sim/explore/... ./results/... ./internal/report/...

# How many histories soak goes through.
MIGRATIONS ?= 10000
SHARDS     ?= 2000
PAGES      ?= 20000

.PHONY: soak
soak: ## Histories of MIGRATIONS migrations and of SHARDS shards, under load, faults and crashes; PAGES pages over a socket (minutes)
	$(GO) test ./internal/sim/explore/migration -run 'TestExplore$$' -soak $(MIGRATIONS) -count=1 -timeout 120m -v
	$(GO) test ./wal -run '^TestCampaign$$' -campaign.runs $(SHARDS) -count=1 -timeout 60m -v
	$(GO) test ./internal/backend -run '^TestNoReplyIsLostOnASocket$$' -pages $(PAGES) -count=1 -timeout 30m -v

.PHONY: explore-mutants
explore-mutants: ## Look for every mutant of the stores with every scheduling policy, and of the migration (minutes)
	$(GO) test ./internal/sim/explore/metadata ./internal/sim/explore/migration -run TestCampaign -campaign -count=1 -timeout 60m -v

.PHONY: cover
cover: ## Test coverage by package, and bin/cover.html
	mkdir -p bin
	$(GO) test -coverprofile=bin/cover.out ./...
	$(GO) tool cover -func=bin/cover.out | tail -1
	$(GO) tool cover -html=bin/cover.out -o bin/cover.html
