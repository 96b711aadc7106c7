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
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test,dask,site,player]'
	touch $@

reproduce: env
	$(BIN)/holdstill reproduce --profile $(PROFILE) --jobs $(JOBS)

test: env site .venv-lab/ready
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
