# Everything starts from nothing but Python 3.11 or newer, and make.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
# What running Lerim takes, and what working on it takes: trying it out need not wait for the rest.
RUNNABLE := $(VENV)/.runnable
READY := $(VENV)/.ready
INSTALL := PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check

# For `make eval`: real traces with a manifest.jsonl, labeled sessions with their scorer, and retrieval sets with theirs.
TRACES ?= ../shared/traces
GOLD ?= ../shared/gold
BENCH ?= ../shared/bench
OUT := .eval

# Tests start hundreds of interpreters: each would compile all of Lerim again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test test-agents test-browser browser drill damage check format dist bench eval eval-sources eval-extract eval-sheet eval-summaries eval-retrieve eval-answer eval-replay clean

help:
	@echo "make run     try Lerim on the sessions found here, or on examples; your own files are not touched"
	@echo "make test    the test suite, with a sample of every drill; under five minutes on two cores"
	@echo "make test-agents  the tests with agents' real programs, which it installs from npm into a cache (1.2 GB)"
	@echo "make test-browser  the tests of the dashboard in Chromium; installs it and axe-core, where it may"
	@echo "make drill   all that the suite samples or leaves out: kills, crowds, whole tables, every example; half an hour"
	@echo "make damage  a hundred thousand damaged lines of every format; takes an hour or two"
	@echo "make check   format, lint, types, import contract, structure, docs"
	@echo "make format  format the code"
	@echo "make dist    wheel and sdist, checked, installed as pip, pipx and uv do it, and tried out"
	@echo "make bench   the benchmarks, as ratios against a baseline of the same run"
	@echo "make eval    quality on real traces and labeled sets: make eval TRACES=DIR GOLD=DIR BENCH=DIR"

$(RUNNABLE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable .
	@touch $@

$(READY): $(RUNNABLE)
	$(INSTALL) --editable '.[dev,agents,rlm,tracing,embeddings,postgres]'
	@touch $@

run: $(RUNNABLE)
	@$(BIN)/python examples/first_run.py

# Each worker takes a run of neighboring files: what a file needs is made once.
test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Large, and no dependency: the default suite starts the programs where they are already.
test-agents: $(READY)
	$(BIN)/python tests/agents/install.py
	$(BIN)/python -m pytest tests/agents -n 0

# Chromium by the system's packages and axe-core by npm: no dependencies either, and no Python package is needed to ask.
browser:
	@$(PYTHON) tests/browser/install.py

test-browser: $(READY) browser
	$(BIN)/python -m pytest tests/browser -n 0 -m 'drill or not drill'

drill: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'drill or hypothesis' --hypothesis-profile drill

# A hundred thousand damaged lines or rows of every format: an hour or two, seldom needed.
damage: $(READY)
	LERIM_DAMAGED_LINES=100000 $(BIN)/python -m pytest -n 2 -m drill tests/attacks/test_mutated_lines.py tests/attacks/test_damaged_databases.py

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest tests/test_structure.py tests/test_docs.py

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# What is built is what is tried: installed into environments of its own, it never sees this checkout.
dist: $(READY)
	rm -rf dist .dist
	$(BIN)/python packaging/manpage.py
	$(PYTHON) -m venv .dist/tools
	$(subst $(BIN),.dist/tools/bin,$(INSTALL)) build twine pipx uv
	PIP_CONSTRAINT=constraints.txt .dist/tools/bin/python -m build --outdir dist
	.dist/tools/bin/twine check --strict dist/*
	$(PYTHON) -m venv .dist/pip
	$(subst $(BIN),.dist/pip/bin,$(INSTALL)) dist/*.whl
	PIP_CONSTRAINT=constraints.txt PIPX_HOME=$(CURDIR)/.dist/pipx PIPX_BIN_DIR=$(CURDIR)/.dist/pipx/bin \
	  .dist/tools/bin/pipx install --quiet --python $(PYTHON) dist/*.whl
	UV_CONSTRAINT=constraints.txt UV_TOOL_DIR=$(CURDIR)/.dist/uv UV_TOOL_BIN_DIR=$(CURDIR)/.dist/uv/bin \
	  .dist/tools/bin/uv tool install --quiet --python $(PYTHON) dist/*.whl
	$(BIN)/python packaging/smoke.py .dist/pip/bin/lerim .dist/pipx/bin/lerim .dist/uv/bin/lerim

bench: $(READY)
	$(BIN)/python benchmarks/run.py

eval: eval-sources eval-sheet eval-extract eval-summaries eval-retrieve eval-answer eval-replay

eval-sources: $(READY)
	$(BIN)/python evals/sources.py $(TRACES)
	$(BIN)/python evals/sync.py $(TRACES)

eval-sheet: $(READY)
	$(BIN)/python evals/sheet.py $(TRACES) $(GOLD)/labels
	$(BIN)/python evals/sheet.py $(GOLD)/train/traces $(GOLD)/train/labels
	$(BIN)/python evals/sheet.py $(GOLD)/everyday/traces $(GOLD)/everyday/labels

eval-extract: $(READY)
	$(BIN)/python evals/extract.py $(TRACES) $(GOLD)/labels $(OUT)/sure
	$(BIN)/python evals/extract.py $(GOLD)/train/traces $(GOLD)/train/labels $(OUT)/sure-train
	$(BIN)/python evals/extract.py $(GOLD)/everyday/traces $(GOLD)/everyday/labels $(OUT)/sure-everyday
	$(BIN)/python evals/extract.py --review $(TRACES) $(GOLD)/labels $(OUT)/review
	$(BIN)/python evals/extract.py --review $(GOLD)/train/traces $(GOLD)/train/labels $(OUT)/review-train
	$(BIN)/python evals/extract.py --review $(GOLD)/everyday/traces $(GOLD)/everyday/labels $(OUT)/review-everyday
	for tier in sure review; do \
	  $(BIN)/python $(GOLD)/score.py $(GOLD)/labels $(OUT)/$$tier; \
	  $(BIN)/python $(GOLD)/score.py $(GOLD)/train/labels $(OUT)/$$tier-train; \
	  $(BIN)/python $(GOLD)/score.py $(GOLD)/everyday/labels $(OUT)/$$tier-everyday; \
	done
	$(BIN)/python evals/train.py $(TRACES) $(GOLD)/labels $(GOLD)/train/traces $(GOLD)/train/labels \
	  $(GOLD)/everyday/traces $(GOLD)/everyday/labels

eval-replay: $(READY)
	$(BIN)/python evals/replay.py $(GOLD)/everyday/traces $(GOLD)/everyday/labels $(TRACES) $(GOLD)/labels $(GOLD)/train/traces $(GOLD)/train/labels

eval-summaries: $(READY)
	$(BIN)/python evals/summaries.py $(TRACES) $(GOLD)/labels
	$(BIN)/python evals/summaries.py $(GOLD)/train/traces $(GOLD)/train/labels

eval-retrieve: $(READY)
	mkdir -p $(OUT)
	for set in devmembench locomo-observation locomo-turn beam-100k; do \
	  $(BIN)/python evals/retrieve.py $(BENCH)/$$set $(OUT)/$$set.json && \
	  $(BIN)/python $(BENCH)/evalrun.py --queries $(BENCH)/$$set/queries.jsonl --run $(OUT)/$$set.json; \
	done

eval-answer: $(READY)
	mkdir -p $(OUT)
	$(BIN)/python evals/answer.py $(OUT)/answer.json

clean:
	rm -rf $(VENV) $(OUT) .dist .try .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
