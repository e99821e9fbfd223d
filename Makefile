# What a user types. Needs Python 3.11 or newer, make, git and the network; everything else is set up in .venv, once.
#
#   make conformance                the features on the reference model
#   make conformance TARGET=local   on a real control plane; CONTROLLER=reference puts ours in upstream's place;
#   make conformance TARGET=kind    on a kind cluster made for it, of IMAGE=... if that is not to be kind's own
#                                   K="rollback" selects, KUBERNETES=1.36 another version, PROCESSES=1 goes easy
#   make matrix                     on the model and a real control plane of every Kubernetes version, in one table
#   make reports                    the same, and keeps in reports/ what each real control plane did
#   make test                       everything that proves this project
#   make parity                     the model's API server beside a real one, request by request; KUBERNETES=1.36
#   make templates                  pod templates made by chance, asked of both for FOR=60 seconds; SEED=1, KUBERNETES=1.36
#   make stories                    thirty random stories on the model and a real control plane in lockstep
#   make setup                      .venv with all that the tests need, to call .venv/bin/pytest by hand
#   make bench                      measures the model beside upstream, and its explorer beside Stateright (if there is cargo)
#   make upstream                   builds the real control plane of KUBERNETES ahead of its first use
#   make image                      the control plane as an image for --target=container; needs Docker
#   make lock                       newest dependencies into requirements/
#   make clean                      removes what make made in this folder; of REPORT only what this suite wrote

TARGET ?= model
CONTROLLER ?=
KUBERNETES ?= 1.37
K ?=
IMAGE ?=
REPORT ?= report
FOR ?= 60
SEED ?= 1
PROCESSES ?= $(if $(filter local%,$(TARGET)),2,0)
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3.14 python3,$(shell command -v $(name))))

BIN := .venv/bin
RUN := .venv/.ready-to-run
DEVELOP := .venv/.ready-to-develop
MAKEFLAGS += --no-print-directory

# By the environment a shell takes them as they are, whatever is in them.
export TARGET CONTROLLER KUBERNETES K IMAGE REPORT PROCESSES PYTHON FOR SEED

.PHONY: conformance matrix reports test parity templates stories bench upstream image setup lock clean

conformance: $(RUN)
	@$(BIN)/deployment-conformance run --target="$$TARGET" $${CONTROLLER:+--controller="$$CONTROLLER"} $${IMAGE:+--image="$$IMAGE"} \
		--kubernetes="$$KUBERNETES" --report="$$REPORT" -n "$$PROCESSES" -k "$$K" -q

matrix: $(RUN)
	@$(BIN)/deployment-conformance matrix -n 2 --save="$$REPORT/matrix" -k "$$K"

reports: matrix
	@for folder in "$$REPORT"/matrix/*/; do version=$$(basename "$$folder") && \
		mkdir -p "reports/$$version" && \
		gzip --best --no-name --stdout "$$REPORT/matrix/$$version/local.json" > "reports/$$version/local.json.gz" || exit 1; \
	done

test: $(DEVELOP)
	@$(BIN)/python .ci/check.py

parity: $(DEVELOP)
	@$(BIN)/pytest tests/parity --kubernetes="$$KUBERNETES" -q

templates: $(DEVELOP)
	@$(BIN)/python -m tests.parity.templates --seconds="$$FOR" --seed="$$SEED" --kubernetes="$$KUBERNETES"

stories: $(RUN)
	@$(BIN)/deployment-conformance story --seed=1 --stories=30 --kubernetes="$$KUBERNETES" --output="$$REPORT"

bench: $(DEVELOP)
	@$(BIN)/python -m benchmarks

upstream: $(RUN)
	$(BIN)/python -m conformance.upstream "$$KUBERNETES"

image: $(RUN)
	@$(BIN)/python -m conformance.targets.container "$$KUBERNETES"

setup: $(DEVELOP)

lock: $(DEVELOP)
	@$(BIN)/pip install --quiet uv
	$(LOCK) pyproject.toml requirements/build.in --output-file requirements/run.txt
	$(LOCK) pyproject.toml requirements/build.in --extra dev --constraint requirements/run.txt --output-file requirements/dev.txt

LOCK := UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-emit-find-links

clean:
	@"$$PYTHON" -m conformance.report.owned "$${REPORT:-report}"
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build *.egg-info

# A stamp is newer than what it was made of, or it is made again; so set-up costs nothing when there is nothing to do.
$(RUN): requirements/run.txt pyproject.toml | $(BIN)/python
	$(call install,run)

$(DEVELOP): requirements/dev.txt pyproject.toml | $(BIN)/python
	$(call install,dev)
	@touch $(RUN)

$(BIN)/python:
	@"$${PYTHON:-false}" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; name it: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	@"$$PYTHON" -m venv .venv || { rm -rf .venv; exit 2; }

define install
@echo "setting up .venv (requirements/$(1).txt)"
@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/$(1).txt
@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
@touch $@
endef
