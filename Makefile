# make demo and make test need nothing but Python ≥ 3.11, make and the package registry.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*##/\1:/p' Makefile

# the environment is made anew only when what it is made from has changed
.venv/made: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "clearwin needs Python 3.11 or later; say: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

.venv/installed: .venv/made
	$(BIN)/python -m pip install --quiet --editable ".[page]"
	@touch $@

# What is pinned, by its hashes, and nothing else: the package itself is built by what is pinned, too. Where a registry or
# a Python has not all of it, the newest that pyproject.toml allows takes its place, unless LOCKED=yes, as in CI.
.venv/installed-dev: .venv/made requirements-dev.txt
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements-dev.txt \
	  && $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable . \
	  || { [ "$(LOCKED)" != yes ] && echo "not all that requirements-dev.txt pins can be had here: unpinned instead" \
	  && $(BIN)/python -m pip install --quiet --editable ".[page]" --group dev; }
	@touch .venv/installed $@

# uv resolves for every system and Python at once; UPGRADE=--upgrade takes the newest of everything
lock:  ## pin anew what development and CI install
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet "uv>=0.8"
	.venv-lock/bin/uv pip compile --quiet pyproject.toml --extra page --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --no-emit-index-url --custom-compile-command "make lock" $(UPGRADE) --output-file requirements-dev.txt

demo: .venv/installed  ## compare two real classifiers and print the verdict
	@$(BIN)/clearwin demo

# without bytecode each of the many processes that the tests start would compile the package anew
test: .venv/installed-dev  ## every check: lint, types, layers, doctests, tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python scripts/make_docs.py --check
	@$(MAKE) --no-print-directory --jobs 2 types pytest

# of the commits since main, or since BASE, and of what is not committed yet
check: .venv/installed-dev  ## in under a minute, before a commit: lint, types, the tests of what changed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python scripts/make_docs.py --check
	$(BIN)/mypy
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q -n 2 --dist loadfile $$($(BIN)/python scripts/changed_tests.py $(BASE))

# the types take half a minute of one core the first time, so they are checked while the tests run
types:
	$(BIN)/mypy

pytest:
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder

# uv takes the lowest versions that pyproject.toml allows; what was already there it would keep, so nothing is. What old
# packages are told by newer ones below them is no fault of ours: those warnings are shown and do not fail.
.venv-lowest/installed: pyproject.toml
	rm -rf .venv-lowest
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet "uv>=0.8"
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct --editable ".[page]" --group test
	@touch $@

# TESTS="tests/cli/test_compare.py tests/data/test_arrays.py" runs some of them, here and below
test-lowest: .venv-lowest/installed  ## the tests with the lowest versions that are declared
	.venv-lowest/bin/uv pip list --quiet --python .venv-lowest/bin/python
	.venv-lowest/bin/python -m pytest -q -W default::DeprecationWarning $(or $(TESTS),--ignore tests/web/test_browser.py)

test-pythons:  ## the tests on each of Python 3.11 to 3.14 that is here
	$(PYTHON) scripts/test_pythons.py $(or $(TESTS),--ignore tests/web/test_browser.py)

# ONLY=defaults measures page one of the scorecard alone, SETS=200 for a first look; DATA=folder adds real data;
# AGAIN=20 measures every twentieth cell again and compares
study: .venv/installed-dev  ## the scorecard of every test, and the other slow studies
	$(BIN)/python scripts/make_scorecard.py $(if $(ONLY),--only $(ONLY)) $(if $(SETS),--sets $(SETS)) $(if $(DATA),--data $(DATA)) $(if $(AGAIN),--again $(AGAIN))
	$(if $(ONLY),,$(BIN)/pytest -q -s -m study)

bench: .venv/installed-dev  ## time and memory against targets; writes docs/bench.json and docs/benchmarks.md
	$(BIN)/python scripts/bench.py --keep
	$(BIN)/python scripts/make_docs.py

# the packages that others would pick, beside clearwin; torch without CUDA where there is one
.venv-rivals/installed: pyproject.toml
	$(PYTHON) -m venv .venv-rivals
	.venv-rivals/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-rivals/bin/python -m pip install --quiet --editable . --group rivals
	@touch $@

rivals: .venv-rivals/installed .venv/installed-dev  ## what other packages take for the same jobs; writes docs/rivals.json
	.venv-rivals/bin/python scripts/rivals.py
	$(BIN)/python scripts/make_docs.py

check-streams: .venv/installed-dev  ## the same numbers with several versions of numpy, to the last bit
	$(BIN)/python scripts/check_streams.py $(if $(PYTHONS),--python $(PYTHONS))

data: .venv/installed-dev  ## make the shipped predictions anew
	$(BIN)/python scripts/make_shipped_data.py

docs: .venv/installed-dev  ## write the generated pages of docs/ anew
	$(BIN)/python scripts/make_docs.py

.venv/installed-site: .venv/installed-dev
	$(BIN)/python -m pip install --quiet --group site
	@touch $@

site: .venv/installed-site  ## build the site in build/site: every example runs, every link is checked
	$(BIN)/python scripts/make_site.py

site-serve: site  ## build the site and show it on this machine
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site $(or $(PORT),8000)

wheel: .venv/installed-dev  ## build the wheel in dist/ and use it in an empty environment
	$(BIN)/python scripts/check_wheel.py

# ONLY="crashes soak" runs some of them, FOR=60 stops those that go on until their time is over after so many seconds;
# without it all take between three and four hours on two cores
proof: .venv/installed-dev  ## attack the program in every way, and write docs/reliability.md
	@for one in $(or $(ONLY),fuzz differential coverage mutants crashes page soak); do \
	  case $$one in fuzz|differential|mutants|soak) limit="$(if $(FOR),--seconds $(FOR))";; *) limit=;; esac; \
	  echo "proof.$$one $$limit"; PYTHONPATH=.:scripts $(BIN)/python -m proof.$$one $$limit || true; done
	PYTHONPATH=.:scripts $(BIN)/python -m proof.table

# FOR=3600 is how many seconds each of them may take, SEED=7 makes other inputs, sets and mutants
fuzz: .venv/installed-dev  ## fuzz every reader, the command and the page; what is found goes into tests/corpus
	PYTHONPATH=.:scripts $(BIN)/python -m proof.fuzz --seconds $(or $(FOR),600) --seed $(or $(SEED),1)

differential: .venv/installed-dev  ## random data sets against scikit-learn, scipy, statsmodels and brute force
	PYTHONPATH=.:scripts $(BIN)/python -m proof.differential --seconds $(or $(FOR),3600) --seed $(or $(SEED),1)

mutants: .venv/installed-dev  ## small faults in the source, one at a time: do the tests see them?
	PYTHONPATH=.:scripts $(BIN)/python -m proof.mutants --seconds $(or $(FOR),7200) --seed $(or $(SEED),1)

notebooks: .venv/installed-dev  ## write every tutorial as a notebook into build/notebooks
	$(BIN)/python scripts/cells.py build/notebooks

chance-page: .venv/installed-dev  ## measure docs/chance.md anew
	$(BIN)/python scripts/make_chance_page.py

clean:  ## remove what was made
	rm -rf .venv .venv-lock .venv-lowest .venv-pythons .venv-rivals .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help demo lock test check types pytest test-lowest test-pythons study bench rivals check-streams data docs site site-serve notebooks wheel proof fuzz differential mutants chance-page clean
