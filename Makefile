# Everything starts from nothing but Python 3.11 and make.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
# What running Lerim takes, and what working on it takes: trying it out need not wait for the rest.
RUNNABLE := $(VENV)/.runnable
READY := $(VENV)/.ready
INSTALL := PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check

# A folder of real traces with a manifest.jsonl, for `make eval`.
TRACES ?= ../shared/traces

.PHONY: help run test check format bench eval clean

help:
	@echo "make run     try Lerim on the sessions found here, or on examples; your own files are not touched"
	@echo "make test    the whole test suite, drills included"
	@echo "make check   format, lint, types, import contract, docs"
	@echo "make format  format the code"
	@echo "make bench   the benchmarks, as ratios against a baseline of the same run"
	@echo "make eval    read a folder of real traces and say how well: make eval TRACES=DIR"

$(RUNNABLE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable .
	@touch $@

$(READY): $(RUNNABLE)
	$(INSTALL) --editable '.[dev,agents,rlm,tracing,embeddings]'
	@touch $@

run: $(RUNNABLE)
	@$(BIN)/python examples/first_run.py

test: $(READY)
	$(BIN)/python -m pytest -n 2

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest tests/test_docs.py

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)
	$(BIN)/python benchmarks/run.py

eval: $(READY)
	$(BIN)/python evals/sources.py $(TRACES)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
