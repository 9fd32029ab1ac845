# `make demo` and `make test` do all set-up by themselves. On Debian they install what is missing if they run as root.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NEURAL := .venv-neural
TORCH := $(shell grep '^torch==' requirements-neural.in)
PURELIB := -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
# True where Stockfish is there; Debian keeps games off root's path.
STOCKFISH := { command -v stockfish || [ -x /usr/games/stockfish ]; } >/dev/null

# Programs that tests start would otherwise compile all modules anew, each of them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test gates test-fast test-long test-slow test-studies test-neural test-model system engine docs pictures lock clean

help:
	@echo "make demo       set up, examine built-in candidates and Stockfish offline, fill a site, write pages to demo/"
	@echo "make test       set up, then all gates: style, types, imports, tests"
	@echo "make test-long  tests of whole programs, browsers and databases"
	@echo "make test-slow  validity studies and soak tests"
	@echo "make test-studies  the validity studies that continuous integration runs"
	@echo "make test-neural  tests with torch and transformers, which it installs into a place of their own"
	@echo "make test-model  every room that asks in words, on the language model that VIVA_MODEL names"
	@echo "make docs       build the documentation's site into site/, which needs no network"
	@echo "make pictures   draw the documentation's pictures anew, with Chromium; docs/screenshots.py lists those made by hand"
	@echo "make lock       pin all dependencies anew in requirements.lock"
	@echo "make clean      remove .venv and all that was built"

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "make: Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || .ci/debian-packages python3-venv
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes --requirement requirements.lock
	$(BIN)/pip install --quiet --no-deps --editable .
	@touch $@

# Exit codes of `viva certify`: 0 pass, 3 fail, 4 undecided (nothing that these bots say can be read).
demo: $(READY) engine
	mkdir -p demo
	$(BIN)/viva certify 'bot:calculator?wrong=0.05' --scope arithmetic --seed 0 --html demo/calculator.html
	$(BIN)/viva certify bot:timekeeper --scope intervals --seed 0 --html demo/timekeeper.html
	$(BIN)/viva certify bot:eliza --scope intervals --seed 0 --html demo/eliza.html || [ $$? -eq 4 ]
	$(BIN)/viva certify bot:gibberish --scope arithmetic --seed 0 --html demo/gibberish.html || [ $$? -eq 4 ]
	timeout --signal=INT 20 $(BIN)/viva luna serve --demo --database demo/luna.sqlite --secret-file demo/luna.secret --port 0 || [ $$? -eq 124 ]
	$(BIN)/viva luna admin stats --database demo/luna.sqlite --html demo/luna.html
	$(BIN)/viva report 'bot:calculator?wrong=0.05' --out demo/bot || [ $$? -eq 3 ]
	@printf '[chess]\nlimit = 60\nworkers = 2\n' > demo/engine.toml
	@if $(STOCKFISH); then set -x; $(BIN)/viva report uci:stockfish --plan demo/engine.toml --out demo/stockfish; \
	else echo "make: the examination of Stockfish is skipped, because it is not installed" >&2; fi
	@echo "Pages: $$(echo demo/*.html demo/*/report.html)"
	@echo "A site that lives: $(BIN)/viva luna serve --demo --database demo/luna.sqlite --secret-file demo/luna.secret --reveal-ratings"

# One thread each: networks so small are slower on more, and very slow on a busy machine. And the kernels of one processor,
# since a search by gradients ends elsewhere if sums are rounded differently.
test-%: export OMP_NUM_THREADS = 1
test-%: export OPENBLAS_CORETYPE = Haswell
test-%: export NPY_DISABLE_CPU_FEATURES = X86_V4 AVX512_ICL AVX512_SPR

# Gates and tests side by side: most of the gates is one process.
test: system
	@$(MAKE) --no-print-directory -j 2 gates test-fast

gates: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# Three at once on two cores, since many wait for processes and clocks. A test that hangs is named, and fails.
ENDING := -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true
test-fast: $(READY)
	$(BIN)/python -m pytest -q -n 3 --dist worksteal $(ENDING)

test-long: $(READY)
	$(BIN)/python -m pytest -q -n 3 --dist worksteal $(ENDING) -m "long and not slow" tests

# In part: make test-slow SELECT='slow and not study' (without the longest), make test-slow IN=tests/validity
SELECT ?= slow
IN ?=
test-slow: $(READY)
	$(BIN)/python -m pytest -q -n 3 --dist worksteal -m "$(SELECT)" $(IN)

# The error studies of tests/validity that are short enough for continuous integration: all but those marked `study`.
# They only compute, so they run beside tests that wait, and let these go first.
test-studies: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "slow and not study" tests/validity

test-neural: $(NEURAL)/.ready
	$(NEURAL)/bin/python -m pytest -q -n 2 --dist loadfile -m neural

# VIVA_MODEL=chat:MODEL@URL make test-model: every room that asks in words, live and small, and a table of what could be read.
# The replies themselves go to the file that VIVA_REPLIES names; VIVA_ASKING may hold options, such as "--reply-format text".
test-model: $(READY)
	@[ -n "$$VIVA_MODEL" ] || echo "make: without VIVA_MODEL=chat:MODEL@URL all of these tests are skipped" >&2
	$(BIN)/python -m pytest -q -m model tests/model

# It sees what .venv has and adds to that, so that all tests are of the same versions, and `make test` does without torch.
# Only PyTorch's own index has builds of torch for Linux without graphics cards; where pip is not told of it or of such a
# wheel (PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS), the tests run with the large build, on the processor too.
$(NEURAL)/.ready: $(READY) requirements-neural.lock
	$(BIN)/python -m venv --clear $(NEURAL)
	echo "import site; site.addsitedir('$$($(BIN)/python $(PURELIB))')" > "$$($(NEURAL)/bin/python $(PURELIB))/beside.pth"
	$(NEURAL)/bin/pip install --quiet --no-deps --require-hashes --requirement requirements-neural.lock
	@$(NEURAL)/bin/pip install --quiet --no-deps $(TORCH) 2>/dev/null || { \
		echo "make: pip finds no $(TORCH), so the build for graphics cards is fetched, on Linux some 3 GB" >&2; \
		$(NEURAL)/bin/pip install --quiet $(TORCH:+cpu=); }
	@touch $@

# Tests that need PostgreSQL, a browser or an engine are skipped where these cannot be had.
system:
	@missing=""; \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || missing="$$missing postgresql"; \
	command -v chromium >/dev/null || missing="$$missing chromium"; \
	$(STOCKFISH) || missing="$$missing stockfish"; \
	[ -x /usr/games/gnuchess ] || missing="$$missing gnuchess"; \
	[ -x /usr/games/glaurung ] || missing="$$missing glaurung"; \
	[ -z "$$missing" ] || .ci/debian-packages $$missing || echo "make: the tests that need$$missing are skipped" >&2

engine:
	@$(STOCKFISH) || .ci/debian-packages stockfish || true

docs: $(READY)
	$(BIN)/mkdocs build --strict --quiet
	@echo "make: the documentation is in site/index.html; its search needs a server: python3 -m http.server --directory site"

pictures: $(READY)
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/screenshots.py

lock:
	CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --extra dev --strip-extras --generate-hashes --upgrade \
		--unsafe-package vivavoce --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
		--output-file requirements.lock pyproject.toml
	CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --strip-extras --generate-hashes --upgrade \
		--constraint requirements.lock --unsafe-package torch --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
		--output-file requirements-neural.lock requirements-neural.in
	sed -i '/^# WARNING: The following packages were not pinned/,$$d' requirements.lock requirements-neural.lock

clean:
	rm -rf $(VENV) $(NEURAL) demo site build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
