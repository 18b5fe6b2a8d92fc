# The few verbs people type. `make test` on a fresh machine needs Python (3.11 or later), pip and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
WORKERS ?= 2

VECTORS_DIR ?= $(if $(NOMINEE_SHARED),$(NOMINEE_SHARED)/vectors,../shared/vectors)
ARENA ?= $(if $(NOMINEE_SHARED),$(NOMINEE_SHARED),../shared)/arena/arena.py
VECTORS ?= resources strategies nodeaffinity taints ports spread interpod images preemption nominated volumes dra misc mixed
# Cases that need a plugin which is not implemented yet are left out and counted.
VECTORS_FLAGS ?= --without-missing

COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header $(LOCK_FLAGS) pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help env test lint format types imports bench-sim up bench-up test-durability vectors examples \
	interleavings check lock clean kubernetes test-kubernetes test-churn test-kubectl race

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

env: $(INSTALLED) ## make .venv with the locked tools and nominee itself, editable

$(INSTALLED): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "make env: $(PYTHON) is older than 3.11; name a newer one: make env PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/pip || $(MAKE) --no-print-directory $(BIN)/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-dev.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src
	@touch $@

$(BIN)/pip:
	@if $(PYTHON) -c 'import ensurepip' 2>/dev/null; then \
		$(PYTHON) -m venv $(VENV); \
	else \
		echo "make env: $(PYTHON) has no ensurepip (Debian: python3-venv); pip comes from the outer pip instead"; \
		$(PYTHON) -m venv --without-pip $(VENV) \
			&& $(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check pip; \
	fi

test: env ## run all tests (more to pytest: make test ARGS="-k taints")
	$(BIN)/pytest -n $(WORKERS) -q $(ARGS)

lint: env ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: env ## let ruff mend and format what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: env ## mypy, strict
	$(BIN)/mypy src tests tools $(wildcard examples)

imports: env ## import-linter: the layers
	$(BIN)/lint-imports

bench-sim: env ## run the large examples of nominee simulate, which take some ten seconds each
	NOMINEE_BENCH=1 $(BIN)/pytest -q --durations=0 tests/integration/test_simulate.py -k large

up: env ## start a cluster with simulated nodes, and say what to type next (more: make up ARGS="--nodes 50")
	@$(BIN)/nominee up --nodes 10 $(ARGS)

bench-up: env ## measure the control plane of nominee up, some minutes (ARGS="post --pods 5000" for a part)
	@$(BIN)/python -m tools.bench_embedded $(ARGS)

test-durability: env ## kill a process a hundred times under writes (a minute); `make test` does it a few times
	NOMINEE_KILLS=100 $(BIN)/pytest -q tests/durability $(ARGS)

test-kubectl: env ## hold nominee up to what people type, with each kubectl on this machine (ARGS="-k 1.37")
	NOMINEE_EVERY_KUBECTL=1 $(BIN)/pytest -n $(WORKERS) -q tests/integration/kubectl $(ARGS)

vectors: env ## compare decisions with kube-scheduler's (VECTORS="ports taints" for some themes)
	$(BIN)/python tools/vectors.py --directory $(VECTORS_DIR) $(VECTORS_FLAGS) $(VECTORS) -- $(BIN)/nominee decide

examples: env ## build the example plugin, install it beside nominee, run its tests
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		--wheel-dir "$$dir" examples/nominee-rack; \
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --target "$$dir/site" "$$dir"/*.whl; \
	PYTHONPATH="$$dir/site" $(BIN)/pytest -q -c examples/nominee-rack/pyproject.toml \
		-p no:cacheprovider examples/nominee-rack; \
	PYTHONPATH="$$dir/site" $(BIN)/nominee config check examples/nominee-rack/scheduler.yaml

interleavings: env ## let a machine look for an hour for interleavings that lose or strand a pod
	NOMINEE_LONG=1 $(BIN)/pytest -q tests/properties/test_interleavings.py $(ARGS)

check: lint types imports test ## all that must pass before a commit

lock: env ## resolve the dependencies anew and write both lock files
	$(COMPILE) --output-file requirements.lock
	$(COMPILE) --group dev --output-file requirements-dev.lock

clean: ## remove the environment, caches and builds
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage*
	find src tests tools -name __pycache__ -prune -exec rm -rf {} +

kubernetes: ## build kube-apiserver, kube-scheduler and kubectl with Go and fetch etcd, once, into a cache
	@PYTHON=$(PYTHON) e2e/build.sh || test $$? -eq 3

test-kubernetes: env ## run the live tests against a real kube-apiserver (ARGS="-k preemption" for some)
	@directory=$$(PYTHON=$(PYTHON) e2e/build.sh) || exit $$(( $$? == 3 ? 0 : $$? )); \
	NOMINEE_KUBERNETES_TESTS=1 NOMINEE_KUBERNETES=$$directory $(BIN)/pytest -q tests/e2e $(ARGS)

race: env ## race nominee and kube-scheduler on a real API server (ARENA=…/arena.py, ARGS="basic spread")
	@directory=$$(PYTHON=$(PYTHON) e2e/build.sh) || exit $$(( $$? == 3 ? 0 : $$? )); \
	NOMINEE_KUBERNETES=$$directory $(BIN)/python -m tools.race --arena $(ARENA) $(ARGS)

test-churn: ## watch nominee's memory while 100,000 pods come and go on a real API server, for some twenty minutes
	@NOMINEE_CHURN=100000 $(MAKE) --no-print-directory test-kubernetes ARGS="-s -k churn"
