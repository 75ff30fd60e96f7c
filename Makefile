# Every target first says what it will do. Needed: Go, gcc, make, git, bash.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules

FUZZTIME ?= 20s
PKG      ?= ./...
BENCH    ?= lucid-philly594 lucid-philly2088 titan-mix2-6000 titan-mix2-full chronus-mix2-full elasticflow-fig8a sia-philly-w1

# Traces that may not be shipped; the program and the tests say when they miss one.
ifeq ($(SCHEDMATE_DATA),)
ifneq ($(wildcard ../shared/traces/anchors),)
export SCHEDMATE_DATA := $(abspath ../shared/traces)
endif
endif

# Labelled logs, which may not be shipped either.
ifeq ($(SCHEDMATE_CASES),)
ifneq ($(wildcard ../shared/cases/tracker),)
export SCHEDMATE_CASES := $(abspath ../shared/cases)
endif
endif

# A checkout that git cannot read (another owner, an export) still builds.
ifneq ($(shell git rev-parse HEAD >/dev/null 2>&1 && git --no-optional-locks status --porcelain >/dev/null 2>&1 && echo yes),yes)
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false)
endif

.PHONY: help demo test bench bench-solver eval-rounds highs setup-cbc eval-tracker eval-failure eval-advisor eval-advisor-sources lint fuzz build clean setup-slurm slurm-up slurm-down

help:
	@echo "make demo    compare policies on two real traces, write out/*.html"
	@echo "make test    lint, then all tests with the race detector"
	@echo "make bench   measure the simulator and the reading of logs"
	@echo "make highs   fetch the HiGHS solver's library into the state folder; it is optional"
	@echo "make bench-solver  measure lease rounds: the search in Go alone, and with HiGHS after it"
	@echo "make eval-rounds  draw hard lease rounds and compare the planner with an independent solver (Python package ortools)"
	@echo "make eval-tracker  score the tracker on labelled logs: eval/runs, and those in SCHEDMATE_CASES"
	@echo "make eval-failure  score the failure handler, whole and in parts, on labelled logs: eval/failure, and those in SCHEDMATE_CASES"
	@echo "make eval-advisor-sources MIRROR=DIR  the same without the rows of tables that come from the jobs' repositories"
	@echo "make eval-advisor MIRROR=DIR  score the advisor on labelled jobs in SCHEDMATE_CASES, made from bare snapshots DIR/OWNER+NAME/repo"
	@echo "make lint    gofmt, go vet, staticcheck"
	@echo "make fuzz    each fuzz target for FUZZTIME ($(FUZZTIME))"
	@echo "make build   the binary ./schedmate"
	@echo "make setup-slurm   install Debian's Slurm packages for tests on a real Slurm (root)"
	@echo "make setup-cbc     install Debian's CBC solver, a second opinion in tests (root)"
	@echo "make slurm-up, slurm-down   start and stop one; its variables stand in out/slurm.env"
	@echo "make clean   remove what the other targets made"

demo: build
	@echo "== demo: compare five policies on two real traces, write a page each to out/"
	@mkdir -p out
	./schedmate simulate --experiment chronus-small,philly-week --report out/report.html
	@echo "open out/report-philly-week.html and out/report-chronus-small.html in a browser"

# One Slurm serves the tests of all packages, where there can be one; where not, they
# say why.
test: lint
	@echo "== test: all tests with the race detector"
	@if [[ "$${SCHEDMATE_SLURM:-}" != off && -z "$${SCHEDMATE_SLURM_LAB:-}" ]] && exports=$$(labs/slurm/up.sh -o $$$$); then \
		eval "$$exports"; trap 'labs/slurm/down.sh' EXIT; \
	fi; \
	go run ./internal/testsummary -race $(PKG)

bench: build
	@echo "== bench: CPU and memory of simulations as processes, beside the figures of public simulators"
	go run ./eval/bench -binary ./schedmate -growth lucid-philly594 $(BENCH)
	@echo "== bench: logs: lines a second, the tail of 10 GB, 2,000 files followed"
	go run ./eval/logbench -binary ./schedmate

bench-solver:
	@echo "== bench-solver: CPU and gap of lease rounds, the search in Go alone and with HiGHS after it"
	go test ./adapters/solver/highs -run '^$$' -bench Rounds -benchtime 1x -timeout 1h

# ROUNDS of each kind; the referee stops after LIMIT seconds a round. PYTHON needs the package ortools.
ROUNDS ?= 10
LIMIT ?= 15
PYTHON ?= python3
eval-rounds:
	@echo "== eval-rounds: the lease planner and CP-SAT on rounds and admissions of kinds that are hard"
	@mkdir -p out/rounds
	go run ./eval/rounds -draw $(ROUNDS) -o out/rounds
	$(PYTHON) eval/rounds/referee.py -seconds $(LIMIT) out/rounds/*.json
	go run ./eval/rounds out/rounds/*.json

highs:
	@echo "== highs: the HiGHS library, pinned by hash"
	@labs/highs/get.sh

setup-cbc:
	@echo "== setup-cbc: install the CBC solver from the distribution"
	labs/highs/cbc.sh

eval-tracker:
	@echo "== eval-tracker: the tracker on labelled logs, as seen and with words replaced"
	go run ./cmd/schedmate eval tracker --cases eval/runs --words-replaced
	@if [[ -n "$(SCHEDMATE_CASES)" ]]; then set -x; \
	go run ./cmd/schedmate eval tracker --cases "$(SCHEDMATE_CASES)/tracker" --words-replaced; \
	else echo "SCHEDMATE_CASES does not name the folder of more labelled logs: skipped"; fi

eval-failure:
	@echo "== eval-failure: the failure handler on labelled logs, whole and without its parts"
	go run ./cmd/schedmate eval failure --cases eval/failure/provoked --ablate
	go run ./cmd/schedmate eval failure --cases eval/failure/paraphrased --ablate
	@if [[ -n "$(SCHEDMATE_CASES)" ]]; then set -x; \
	go run ./cmd/schedmate eval failure --cases "$(SCHEDMATE_CASES)/failure" --ablate; \
	go run ./cmd/schedmate eval failure --cases "$(SCHEDMATE_CASES)/real/failure" --ablate; \
	else echo "SCHEDMATE_CASES does not name the folder of more labelled logs: skipped"; fi

eval-advisor: build
	@echo "== eval-advisor: the advisor on labelled jobs and pairs, made from the snapshots in MIRROR"
	@if [[ -z "$(MIRROR)" ]]; then echo "MIRROR does not name the folder of bare snapshots: skipped"; \
	elif [[ -z "$(SCHEDMATE_CASES)" || ! -f "$(SCHEDMATE_CASES)/advisor/jobs.jsonl" ]]; then echo "SCHEDMATE_CASES does not name the folder with advisor/jobs.jsonl: skipped"; \
	else go run ./eval/advisorbench -binary ./schedmate -cases "$(SCHEDMATE_CASES)/advisor" -mirror "$(MIRROR)" $(EVALFLAGS); fi

# What rows of the tables are worth whose source is a repository of the cases:
# they must not be what the score is made of. ALSO adds further texts of sources.
eval-advisor-sources:
	@echo "== eval-advisor-sources: the advisor on labelled jobs without the rows of tables that come from their repositories"
	@if [[ -z "$(MIRROR)" || -z "$(SCHEDMATE_CASES)" || ! -f "$(SCHEDMATE_CASES)/advisor/jobs.jsonl" ]]; then echo "MIRROR or SCHEDMATE_CASES does not name a folder: skipped"; \
	else repos=$$(grep -o '"repo": *"[^"]*"' "$(SCHEDMATE_CASES)/advisor/jobs.jsonl" | cut -d'"' -f4 | sort -u | paste -sd,); \
	go build -trimpath -ldflags "-X 'schedmate/advisor/table.withoutSources=$$repos,$(ALSO)'" -o out/schedmate-unsourced ./cmd/schedmate; \
	go run ./eval/advisorbench -binary out/schedmate-unsourced -cases "$(SCHEDMATE_CASES)/advisor" -mirror "$(MIRROR)" -pairs=false -o out/advisor-unsourced.jsonl $(EVALFLAGS); fi

lint:
	@echo "== lint: gofmt, go vet, staticcheck"
	@unformatted=$$("$$(go env GOROOT)/bin/gofmt" -l .); \
	if [[ -n "$$unformatted" ]]; then echo "not formatted, run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	go vet $(PKG)
	go tool staticcheck $(PKG)

# go test -fuzz takes one target of one package at a time.
fuzz:
	@echo "== fuzz: each target for $(FUZZTIME)"
	@for package in $$(go list $(PKG)); do \
		listed=$$(go test -list '^Fuzz' "$$package"); \
		for target in $$(grep '^Fuzz' <<<"$$listed" || true); do \
			echo "-- $$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package"; \
		done; \
	done

build:
	@echo "== build: ./schedmate"
	go build -trimpath -o schedmate ./cmd/schedmate

clean:
	@echo "== clean: remove ./schedmate and out/"
	@if [[ -e out/slurm.env ]]; then $(MAKE) slurm-down; fi
	rm -rf schedmate out

setup-slurm:
	@echo "== setup-slurm: install Slurm, munge and MariaDB from the distribution; no service is started"
	labs/slurm/setup.sh

slurm-up:
	@echo "== slurm-up: start a throw-away Slurm on loopback"
	@if [[ -e out/slurm.env ]]; then echo "out/slurm.env is of a lab that was started before: run make slurm-down first"; exit 1; fi
	@mkdir -p out
	@labs/slurm/up.sh > out/slurm.env.new || { code=$$?; rm -f out/slurm.env.new; exit $$code; }
	@mv out/slurm.env.new out/slurm.env
	@echo "to use it:  . out/slurm.env"

slurm-down:
	@echo "== slurm-down: stop the Slurm of make slurm-up"
	@. out/slurm.env && labs/slurm/down.sh
	@rm out/slurm.env
