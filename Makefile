# make demo   the whole path on made corpora, on a fresh machine with Python 3.11 or newer
# make test   all tests and checks
# make ami AMI=DIR   the real AMI annotations in DIR, into results-ami/
# make sensitivity AMI=DIR   the same under other definitions

PYTHON ?= python3
CORES ?= all
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
SNAKEMAKE = snakemake --workflow-profile workflow/profiles/default --cores $(CORES)
WATCH = python -m tact.progress

.PHONY: demo test ami sensitivity unlock clean

demo: $(VENV)/.installed
	@$(WATCH) $(SNAKEMAKE) --configfile config.yaml workflow/demo.yaml
	@cat results-demo/report/summary.txt

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

$(VENV)/.installed: requirements/tact.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements/tact.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	touch $@

unlock:
	snakemake --unlock --configfile config.yaml workflow/demo.yaml

clean:
	rm -rf results-demo demo
