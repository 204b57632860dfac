# Pigpen. `make help` lists what there is to make.
.DEFAULT_GOAL := help
.PHONY: help demo test check protos schema images bench clean
BIN := .venv/bin
READY := .venv/.ready

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

SOURCES := $(wildcard sdk/pigpen/sim/native/*.[ch] ladder/sandbox/docker/programs/*.[ch])
BUILD := pyproject.toml hatch_build.py requirements-dev.lock $(wildcard sdk/*.toml sdk/*.py) scripts/venv

$(READY): $(BUILD) $(SOURCES)
	@scripts/venv
	@touch $@

demo: $(READY)  ## play a real match between sample bots, in containers where Docker runs
	@scripts/demo

test: $(READY)  ## run all tests
	@scripts/engine || true
	@scripts/runsc || true
	@scripts/postgres || true
	@scripts/registry || true
	@scripts/test

check: $(READY)  ## format, lint, types, generated code, import directions
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	scripts/protos --check
	$(BIN)/python -m referee.records.schema --check
	$(BIN)/python -m ladder.app.schema --check
	$(BIN)/pytest -q tests/test_architecture.py

protos: $(READY)  ## generate the Python code of the wire contract
	scripts/protos

schema: $(READY)  ## write the JSON Schemas of records and of what commands print
	$(BIN)/python -m referee.records.schema
	$(BIN)/python -m ladder.app.schema

images: $(READY)  ## build the bot base image
	@scripts/engine
	$(BIN)/python -m ladder.sandbox.docker.base_image

bench: $(READY)  ## measure, and print one table (10 minutes at most)
	@scripts/engine || true
	$(BIN)/python -m benchmarks

clean:  ## remove the virtual environment and caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
