# The two commands of the README are `make reproduce` and `make test`; `make env` builds what both need in .venv.
PYTHON ?= python3
PROFILE ?= published
JOBS ?= 2
BIN := .venv/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Tests, notebooks and doctests in one run, so that no worker waits for another at the end of each; a file, or a notebook
# with its kernel, belongs to one worker, in the order of conftest.py.
PYTEST = $(BIN)/python -m pytest -q -rs -n $(JOBS) --dist loadfile --no-loadscope-reorder
PYTEST += --nbval --doctest-modules --doctest-glob="*.md"

.PHONY: env reproduce test site lab promote clean

env: .venv/ready

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) --no-compile --editable '.[test,dask,site,player]'  # most modules are never imported
	touch $@

reproduce: env
	$(BIN)/holdstill reproduce --profile $(PROFILE) --jobs $(JOBS)

test: env site .venv-lab/ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(PYTEST) tests notebooks lib docs/hitori.py docs/adding_a_puzzle.md

# the notebooks as they are committed; nothing is executed
site: env
	rm -rf build/articles build/doctrees build/site
	mkdir -p build/articles
	cp -R docs/. notebooks/*.ipynb figures/what_pins_the_answer/who_forbids.svg build/articles
	$(BIN)/sphinx-build -W --keep-going -q -j $(JOBS) -d build/doctrees build/articles build/site

promote: env
	$(BIN)/holdstill promote $(PROFILE)

lab: .venv-lab/ready
	.venv-lab/bin/jupyter-lab --LabApp.extra_labextensions_path=$(CURDIR)/.venv/share/jupyter/labextensions notebooks

# JupyterLab brings format checkers of jsonschema that take 1.5 s to import, in every process that reads a notebook: its
# server has an environment of its own, and runs its kernels in the other.
.venv-lab/ready: .venv/ready
	$(PYTHON) -m venv --without-pip .venv-lab
	$(BIN)/python -m pip --python .venv-lab/bin/python install --quiet --disable-pip-version-check --no-compile \
	    --constraint constraints.txt jupyterlab
	$(BIN)/python -m ipykernel install --prefix .venv-lab >/dev/null
	touch $@

clean:
	rm -rf build data/cache
