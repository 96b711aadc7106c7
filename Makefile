# The two commands of the README are `make reproduce` and `make test`; `make env` builds what both need in .venv.
PYTHON ?= python3
PROFILE ?= published
JOBS ?= 2
BIN := .venv/bin
# a file, or a notebook with its kernel, belongs to one worker
PYTEST = $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile

.PHONY: env reproduce test lab promote clean

env: .venv/ready

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	touch $@

reproduce: env
	$(BIN)/holdstill reproduce --profile $(PROFILE) --jobs $(JOBS)

test: env
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(PYTEST) tests
	$(BIN)/python -m pytest -q --doctest-modules --doctest-glob="*.md" lib docs/hitori.py docs/adding_a_puzzle.md
	$(PYTEST) --nbval notebooks

promote: env
	$(BIN)/holdstill promote $(PROFILE)

lab: env
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[lab]'
	$(BIN)/jupyter lab notebooks

clean:
	rm -rf build data/cache
