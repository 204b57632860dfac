# Pigpen. `make help` lists what there is to make.
.DEFAULT_GOAL := help
.PHONY: help demo test test-long test-postgres services bytecode check docs protos schema wheels images bench clean
BIN := .venv/bin
READY := .venv/.ready
COMPILED := .venv/.compiled
MODULES := ladder referee pigpen_arena sdk/pigpen sample_bots tests
# Tests wait for containers half of the time, so there are more workers than cores.
WORKERS := 4
ON_POSTGRES := $(addprefix tests/,e2e $(addprefix ladder/,app cli runner site store))
WHEEL := $(BIN)/python -m pip wheel --quiet --no-deps --no-index --no-build-isolation
SUITE := $(BIN)/pytest --durations=15
# Notes for scripts/releasable that a target has passed.
RAN = $(BIN)/python scripts/ran $@

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

SOURCES := $(wildcard sdk/pigpen/sim/native/*.[ch] ladder/sandbox/docker/programs/*.[ch])
BUILD := pyproject.toml hatch_build.py requirements-dev.lock $(wildcard sdk/*.toml sdk/*.py) scripts/venv scripts/python

ifeq ($(MAKELEVEL) $(origin PYTHON),0 command line)
.PHONY: $(PYTHON)
$(READY): $(PYTHON)
endif
$(READY): $(BUILD) $(SOURCES)
	@scripts/venv
	@touch $@

demo: $(READY)  ## play a real match between sample bots, in containers where Docker runs
	@scripts/demo

test: $(READY) services bytecode  ## run all tests
	$(RAN) $(SUITE) -n $(WORKERS) --max-worker-restart=0

test-long: $(READY) services bytecode  ## run the tests that are too long for each push (half an hour and more)
	@scripts/toolchains || true
	@scripts/slurm || true
	@scripts/compose || true
	@scripts/firefox || true
	PIGPEN_TEST_PATIENCE=600 $(RAN) $(SUITE) -n $(WORKERS) --max-worker-restart=0 -m long -o timeout=3600

test-postgres: $(READY) services bytecode  ## run the tests of ladder and site with every ladder in PostgreSQL
	PIGPEN_TEST_DATABASE=postgresql $(RAN) $(SUITE) -n 2 --max-worker-restart=0 $(ON_POSTGRES)

# What tests need besides Python. Tests that need a program that is missing are skipped, and named.
services: $(READY)
	@scripts/docs --tools || true
	@scripts/engine || true
	@scripts/runsc || true
	@scripts/postgres || true
	@scripts/program docker-registry || true
	@scripts/program nginx || true
	@scripts/program prometheus || true
	@scripts/chromium || true
	@$(BIN)/python -m ladder.sandbox.docker.base_image >/dev/null 2>&1 || true

# Tests start hundreds of programs; and pytest prepares the asserts of tests and plugins, once here instead of in each worker.
bytecode: $(COMPILED)
$(COMPILED): $(READY) $(shell find $(MODULES) -name '*.py')
	@scripts/bytecode $(MODULES)
	@PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q --collect-only >/dev/null || true
	@touch $@

docs: $(READY)  ## build the documentation in build/docs; a site that runs from this checkout shows it at /docs
	$(RAN) scripts/docs

check: $(READY)  ## format, lint, types, generated code, translations, import directions, collection of the long tests
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/python scripts/words
	@scripts/docs --tools
	$(BIN)/mypy
	scripts/protos --check
	scripts/messages --check
	$(BIN)/python -m referee.records.schema --check
	$(BIN)/python -m ladder.app.schema --check
	$(BIN)/python -m ladder.site.shapes --check
	$(BIN)/lint-imports
	$(BIN)/pytest -q tests/test_third_party_imports.py
	scripts/script-types
	$(BIN)/pytest -q --collect-only -m long >.venv/.collected || { cat .venv/.collected; exit 1; }

protos: $(READY)  ## generate the Python code of the wire contract
	scripts/protos

schema: $(READY)  ## write the JSON Schemas of records and of what commands print, and the types of the site's scripts
	$(BIN)/python -m referee.records.schema
	$(BIN)/python -m ladder.app.schema
	$(BIN)/python -m ladder.site.shapes

wheels: $(READY)  ## make the wheels of Pigpen in dist; a site that runs from this checkout hands them out
	rm -rf dist
	$(WHEEL) --wheel-dir dist ./sdk .
	PIGPEN_PURE=1 $(WHEEL) --wheel-dir dist/pure ./sdk

images: $(READY)  ## build the bot base image
	@scripts/engine
	$(BIN)/python -m ladder.sandbox.docker.base_image

bench: $(READY)  ## measure, and print one table (20 minutes)
	@scripts/engine || true
	$(RAN) $(BIN)/python -m benchmarks

clean:  ## remove the virtual environment and caches
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .hypothesis
