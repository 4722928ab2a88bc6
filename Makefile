# Everything runs in .venv, which the first target that needs it makes.
# The only things needed beforehand: Python >= 3.10, git, make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO := demo-results

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format docs bench clean

help:  ## show the targets
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' Makefile | awk -F'|' '{printf "  make %-8s %s\n", $$1, $$2}'

setup: $(STAMP)  ## make .venv and install boostbench into it, editable

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || \
	  { found=$$($(PYTHON) --version 2>/dev/null || echo 'not a command here'); \
	    echo "boostbench needs Python 3.10 or later; $(PYTHON) is $$found." >&2; \
	    echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo 'installing boostbench and what it needs into $(VENV) ...'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: setup  ## the main job on embedded data, in about a minute
	@$(BIN)/boostbench run configs/quickstart.yaml --results $(DEMO)
	@$(BIN)/boostbench report configs/quickstart.yaml --results $(DEMO)

test: lint  ## all checks: style, types, layers, tests
	@$(BIN)/pytest -q

lint: setup  ## ruff, mypy, import-linter
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache > $(VENV)/lint-imports.log || { cat $(VENV)/lint-imports.log; exit 1; }
	@echo 'lint: ruff, mypy and import-linter found nothing'

format: setup  ## rewrite the sources in the house style
	@$(BIN)/ruff check --fix --quiet
	@$(BIN)/ruff format --quiet

docs: setup  ## rewrite docs/cli.md from the help texts
	@$(BIN)/python docs/generate_cli.py

bench: setup  ## speed against scikit-learn, LightGBM and XGBoost
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@$(BIN)/python -m benchmarks

clean:  ## remove .venv, caches and the demo's results
	@rm -rf $(VENV) $(DEMO) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find boostbench tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
