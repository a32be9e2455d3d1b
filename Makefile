# `make` alone lists the commands. Every command makes its own environment first, in .venv.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup demo demo-service test test-long test-quick test-kernels test-bounds test-agreement test-agreement-tree test-agreement-xml test-profiles test-chaos test-cluster test-kafka test-ready test-service-truth test-service-chaos test-service-schema test-service-load test-mqtt test-postgres test-page check \
	lint types layers format fuzz fuzz-sharing fuzz-aggregate fuzz-tree fuzz-profiles fuzz-values fuzz-xml bench docs docs-check notebooks test-docs kernels package clean

VENV   := .venv
BIN    := $(VENV)/bin
CACHE  := .cache
# What .venv holds so far. A command asks for what it needs: Spark alone takes most of the time of an installation.
LINT   := $(VENV)/.lint
LAYERS := $(VENV)/.layers
TYPES  := $(VENV)/.types
CORE   := $(VENV)/.core
READY  := $(VENV)/.ready
SMALL  := $(VENV)/.small
SERVICE := $(VENV)/.service
SPARK  := $(VENV)/.spark
DOCS   := $(VENV)/.docs
# Where the compiled kernels are built, and for which processors.
KERNELS := build/kernels
LEVEL  ?= x86-64-v3

# How many random queries `make fuzz` and its like, `make test-agreement`, `make test-profiles` and `make test-service-truth` try, and from which seed.
CASES ?= $(if $(filter test-service-truth,$(MAKECMDGOALS)),200,$(if $(filter test-profiles,$(MAKECMDGOALS)),500,$(if $(filter test-agreement-xml,$(MAKECMDGOALS)),300,$(if $(filter test-agreement%,$(MAKECMDGOALS)),2000,$(if $(filter fuzz-values,$(MAKECMDGOALS)),10000,20000)))))
SEED ?= 1
# How often `make test-chaos` kills the driver, and `make test-service-chaos` the service.
KILLS ?= $(if $(filter test-service-chaos,$(MAKECMDGOALS)),50,20)
# Which benchmark `make bench` runs, and where its report goes.
PAPER ?= all
OUT ?= out/bench
# How many processes run the tests.
WORKERS ?= auto
# What runs again without the compiler, and with bounds checked.
KERNEL_TESTS ?= tests/matchers

# The first Python of at least 3.11 that really runs and can make environments: a shim may exist and fail.
PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3 python; do \
	$$name -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& { echo $$name; break; }; done)

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## make the whole environment in .venv, with the versions of constraints.txt

demo: $(SMALL) ## find patterns in generated stock events, tell of a building by the service, then match a stream on Spark
	@test -e $(SPARK) || test -e $(READY) || echo "fetching the service's libraries and Spark beside the first demo (the log: $(SPARK).log) …"
	@$(MAKE) --no-print-directory $(SERVICE) $(SPARK) > $(SPARK).log 2>&1 & fetching=$$!; \
	$(BIN)/cepheid demo; shown=$$?; echo; \
	while ! test -e $(SERVICE) && kill -0 $$fetching 2>/dev/null; do sleep 0.2; done; \
	test ! -e $(SERVICE) || $(BIN)/cepheid demo --service || shown=$$?; \
	$(BIN)/python -c 'from cepheid.cli.demo_spark import rehearse; rehearse()'; \
	kill -0 $$fetching 2>/dev/null && echo "waiting for Spark …"; \
	wait $$fetching || { cat $(SPARK).log >&2; exit 1; }; exit $$shown
	@echo
	$(BIN)/cepheid demo --spark
	@echo
	@$(BIN)/python -c 'from cepheid.cli.demo import show_picture; show_picture("out")'

demo-service: $(SMALL) $(SERVICE) ## tell of a building by the notification service, as its sensors report
	$(BIN)/cepheid demo --service

test: $(READY) ## run all tests but the long ones
	@$(BIN)/cepheid warm-up
	$(BIN)/python -m pytest -q -n $(WORKERS) -m "not long" $(ARGS)

test-long: $(READY) ## run the long ones (whole benchmarks, Spark in every way), and the kernels' without the compiler
	@$(BIN)/cepheid warm-up
	$(BIN)/python -m pytest -q -n $(WORKERS) -m long $(ARGS)
	@$(MAKE) --no-print-directory test-kernels

test-quick: $(CORE) ## run what answers in two minutes: no Spark, and nothing slow
	@plain=$$($(BIN)/python -c 'from cepheid.matchers.jit import is_cold; print(int(is_cold()))') && \
	{ test $$plain = 0 || echo "no kernel is compiled yet: they run as plain Python"; } && \
	NUMBA_DISABLE_JIT=$$plain HYPOTHESIS_PROFILE=quick \
		$(BIN)/python -m pytest -q -n $(WORKERS) -m "not spark and not slow and not long" $(ARGS)

test-kernels: $(CORE) ## run the kernels' quick tests as plain Python
	NUMBA_DISABLE_JIT=1 HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest -q -n $(WORKERS) -m "not slow" $(KERNEL_TESTS)

test-bounds: $(CORE) ## run the kernels' tests with bounds checked: all kernels are compiled once more
	NUMBA_BOUNDSCHECK=1 $(BIN)/cepheid warm-up
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -q -n $(WORKERS) $(KERNEL_TESTS)

test-agreement: $(READY) ## compare Spark, batch and streaming, with the embedded run on CASES random queries
	$(BIN)/python -m tests.spark.agreement --mode batch --cases $(CASES) --seed $(SEED)
	$(BIN)/python -m tests.spark.agreement --mode stream --cases $(CASES) --seed $(SEED)

test-agreement-tree: $(READY) ## the same for the tree engine, under options drawn at random
	$(BIN)/python -m tests.spark.agreement --tree --mode batch --cases $(CASES) --seed $(SEED)
	$(BIN)/python -m tests.spark.agreement --tree --mode stream --cases $(CASES) --seed $(SEED)

test-agreement-xml: $(READY) ## compare tree patterns on Spark with the oracle on CASES random patterns over documents, split anywhere
	$(BIN)/python -m tests.spark.agreement_xml --cases $(CASES) --seed $(SEED)

test-profiles: $(READY) ## compare Spark, batch and streaming, with the embedded run on CASES random sets of profiles
	$(BIN)/python -m tests.spark.agreement_profiles --mode batch --cases $(CASES) --seed $(SEED)
	$(BIN)/python -m tests.spark.agreement_profiles --mode stream --cases $(CASES) --seed $(SEED)

test-chaos: $(READY) ## kill a streaming job KILLS times over one stream: nothing lost, nothing doubled
	$(BIN)/python -m tests.spark.chaos --kills $(KILLS)

test-cluster: $(READY) ## run on a Spark cluster of two workers, and kill one of them
	$(BIN)/python -m tests.spark.cluster

test-kafka: $(READY) ## match a stream from a real Kafka broker to another topic (fetches Kafka's jars)
	$(BIN)/python -m tests.spark.kafka

test-service-truth: $(CORE) ## compare the service with the oracle on CASES random sets of profiles, over HTTP
	@$(BIN)/cepheid warm-up
	$(BIN)/python -m tests.service.truth --cases $(CASES) --seed $(SEED)

test-service-chaos: $(CORE) ## kill the service KILLS times under load: every event counted once, every notification told once
	@$(BIN)/cepheid warm-up
	$(BIN)/python -m tests.service.chaos --kills $(KILLS) --seed $(SEED)

test-service-schema: $(CORE) ## ask the service all that its OpenAPI document allows and more, by schemathesis: no server error
	@$(PIP) schemathesis
	$(BIN)/python -m tests.service.schema --cases $(or $(filter-out 20000,$(CASES)),50)

test-service-load: $(CORE) ## an hour of events in two minutes: flat memory, bounded tables
	@$(BIN)/cepheid warm-up
	$(BIN)/python -m tests.service.load

test-mqtt: $(CORE) ## events from a real MQTT broker (fetches amqtt)
	@$(PIP) amqtt
	$(BIN)/python -m pytest -q tests/service/test_mqtt.py

test-postgres: $(CORE) ## run the service on a real PostgreSQL, or say what is missing
	@$(PIP) 'psycopg[binary]'
	$(BIN)/python -m tests.service.postgres

test-page: $(CORE) ## go through every page of the service, and the report of benchmarks, in Chromium, or say what is missing
	@$(PIP) playwright
	@$(BIN)/cepheid warm-up
	$(BIN)/python -m tests.page $(ARGS)

test-ready: package ## install both wheels in a new environment: nothing is compiled, nothing is written, also on Spark
	$(BIN)/python -m tests.warm_up.installed

check: lint types layers test ## all that continuous integration asks for

lint: $(LINT) ## look for mistakes and for formatting that differs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(TYPES) ## check the types
	$(BIN)/mypy

layers: $(LAYERS) ## check that imports point one way
	PYTHONPATH=src $(BIN)/lint-imports --cache-dir $(CACHE)/import-linter

format: $(LINT) ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

fuzz: $(CORE) ## compare the engines with the oracle on CASES random queries
	$(BIN)/python -m tests.fuzz $(CASES) $(SEED)

fuzz-sharing: $(CORE) ## the same with each way of sharing storage and work between runs
	$(BIN)/python -m tests.fuzz --sharing auto --sharing restless --sharing basic --sharing merging \
		--sharing backtracking $(CASES) $(SEED)

fuzz-aggregate: $(CORE) ## the same on CASES random queries with AGG, by each method of counting
	$(BIN)/python -m tests.fuzz --aggregate --method aseq --method stacks --method inverse \
		--method ordered --method construction $(CASES) $(SEED)

fuzz-tree: $(CORE) ## the same for the tree engine, each query under a shape, condensing, index and cut drawn at random
	$(BIN)/python -m tests.fuzz --tree $(CASES) $(SEED)

fuzz-profiles: $(CORE) ## the same for CASES random profiles, as tables and as sessions with cuts and snapshots
	$(BIN)/python -m tests.fuzz --profiles $(CASES) $(SEED)

fuzz-values: $(CORE) ## run CASES queries (10,000 unless told) over extreme values of every Arrow type
	$(BIN)/python -m tests.fuzz_values $(CASES) $(SEED)

fuzz-xml: $(CORE) ## compare tree patterns with the oracle and XPath on CASES random documents, with cuts, snapshots and namespaces
	$(BIN)/python -m tests.fuzz_xml $(CASES) $(SEED)

bench: $(READY) ## measure (PAPER=sase for one) and write a report to OUT
	$(BIN)/cepheid bench $(PAPER) --out $(OUT)

docs-check: $(READY) ## run every snippet of the documents and every example
	$(BIN)/python -m pytest -q tests/test_docs.py

docs: $(DOCS) ## build the documentation as a site that needs no network, into out/docs
	@$(BIN)/python -m website

notebooks: $(DOCS) ## write six of the examples as notebooks, into out/notebooks
	@$(BIN)/python -m website.notebooks

test-docs: docs ## open every page of the site in Chromium, on a phone: no other host is asked, nothing is too wide
	@$(PIP) playwright
	$(BIN)/python -m website.check

kernels: $(CORE) ## compile all kernels for a level of processors (LEVEL), into build/kernels
	$(BIN)/python -m cepheid.warm_up.build $(KERNELS) $(LEVEL)

package: $(READY) kernels ## build both wheels, into dist/: the package, and its compiled kernels
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . ./kernels

clean: ## remove what was made: environment, caches, reports
	rm -rf $(VENV) $(CACHE) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist out
	find src tests examples -name __pycache__ -type d -prune -exec rm -rf {} +

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
EDITABLE := $(PIP) --no-build-isolation -e
# For a first look: Python compiles only the modules that are imported, unless it is told to keep nothing.
LAZILY := $(if $(PYTHONDONTWRITEBYTECODE),,--no-compile)
# PySpark comes as sources, and pip packs 400 MB of jars into a wheel just to unpack it: storing is twice as fast.
STORED := --config-settings=--build-option=--compression=stored

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Cepheid needs Python 3.11 or later with venv; name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(LINT): constraints.txt | $(BIN)/python
	@$(PIP) ruff
	@touch $@

$(LAYERS): constraints.txt | $(BIN)/python
	@$(PIP) import-linter
	@touch $@

$(TYPES): pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing what the types are checked against, in $(VENV): Spark is large …"
	@$(PIP) hatchling editables setuptools
	@$(EDITABLE) '.[types]'
	@touch $@

$(CORE): pyproject.toml constraints.txt | $(BIN)/python
	@echo "making the environment in $(VENV), without Spark …"
	@$(PIP) hatchling editables setuptools
	@$(EDITABLE) '.[test]'
	@touch $@

# The package alone, for a first look.
$(SMALL): pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing cepheid in $(VENV), without Spark …"
	@test -e $(CORE) || test -e $(READY) || { $(PIP) $(LAZILY) hatchling editables && $(EDITABLE) . $(LAZILY); }
	@touch $@

$(DOCS): pyproject.toml constraints.txt | $(CORE)
	@$(PIP) $(call NEEDED_BY,docs service)
	@touch $@

# What extras need, by their names alone: to install the package anew would pull it from under a running demo.
NEEDED_BY = $$($(BIN)/python -c 'import sys; from importlib.metadata import requires; \
		print(*[each.split(";")[0] for each in requires("cepheid") \
		if any(f"extra == \"{extra}\"" in each.replace(chr(39), chr(34)) for extra in sys.argv[1:])])' $(1))

$(SERVICE): pyproject.toml constraints.txt | $(BIN)/python
	@test -e $(READY) || test -e $(CORE) || $(PIP) $(LAZILY) $(call NEEDED_BY,service)
	@touch $@

$(SPARK): pyproject.toml constraints.txt | $(BIN)/python
	@test -e $(READY) || $(PIP) $(LAZILY) $(STORED) $(call NEEDED_BY,spark java)
	@touch $@

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	@echo "making the whole environment in $(VENV): two or three minutes, since Spark is large …"
	@$(PIP) hatchling editables setuptools
	@$(EDITABLE) '.[dev]'
	@touch $@
