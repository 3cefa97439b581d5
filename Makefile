# Everything happens in .venv, which is made with plain python3 and pip.

PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test check format bench clean

help:
	@echo "make demo    install the linter and lint the examples"
	@echo "make test    run the tests"
	@echo "make check   lint, formatting, types, layers, generated pages"
	@echo "make format  format the code and apply safe fixes"
	@echo "make bench   measure speed"
	@echo "make clean   remove what these targets made"

.venv/.made:
	$(PYTHON) -m venv .venv
	@touch $@

.venv/.installed: .venv/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

# The API tables are checked against this torch; another version would be another check.
.venv/.dev: .venv/.made pyproject.toml
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@ .venv/.installed

demo: .venv/.installed
	$(BIN)/torchdet-lint check examples --exit-zero

test: .venv/.dev
	$(BIN)/python -m pytest -n 2 $(ARGS)

check: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m torchdet_lint.catalog.pages --check
	$(BIN)/python -m torchdet_lint.config.reference --check
	$(BIN)/python tools/terminal_svg.py --check
	$(BIN)/python -m torchdet_lint.cli.reference --check

format: .venv/.dev
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: .venv/.dev
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf .venv .bench build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
