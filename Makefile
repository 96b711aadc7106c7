# The two commands of the README are `make reproduce` and `make test`; `make env` builds what both need in .venv.
PYTHON ?= python3
PROFILE ?= published
JOBS ?= 2
BIN := .venv/bin
# a file, or a notebook with its kernel, belongs to one worker
PYTEST = $(BIN)/python -m pytest -q -rs -n $(JOBS) --dist loadfile

.PHONY: env reproduce test site lab promote clean

env: .venv/ready

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test,dask,site]'
	touch $@

reproduce: env
	$(BIN)/holdstill reproduce --profile $(PROFILE) --jobs $(JOBS)

test: env site
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(PYTEST) tests
	$(BIN)/python -m pytest -q --doctest-modules --doctest-glob="*.md" lib docs/hitori.py docs/adding_a_puzzle.md
	$(PYTEST) --nbval notebooks

# the notebooks as they are committed; nothing is executed
site: env
	rm -rf build/articles build/doctrees build/site
	mkdir -p build/articles
	cp -R docs/. notebooks/*.ipynb figures/what_pins_the_answer/who_forbids.svg build/articles
	$(BIN)/sphinx-build -W --keep-going -q -j $(JOBS) -d build/doctrees build/articles build/site

promote: env
	$(BIN)/holdstill promote $(PROFILE)

lab: env
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[lab]'
	$(BIN)/jupyter lab notebooks

clean:
	rm -rf build data/cache
