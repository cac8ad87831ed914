# `make demo` and `make test` work on a fresh machine; both install what is missing first.

PREFIX ?= /usr/local
TRAITS := GTK,HEIF,JXL,TIFF,JP2,SVG
# No leak detection: Swift stores pointers to weakly referenced objects in a form that the detector reports as leaks.
ASAN_OPTIONS := detect_leaks=0:suppressions=$(CURDIR)/scripts/asan.supp:allocator_may_return_null=1
# Some tests allocate more memory than exists, and expect the allocation to fail.
TSAN_OPTIONS := allocator_may_return_null=1
TEST := scripts/run-tests.sh --traits $(TRAITS)
# Without optimisation a sanitizer makes code tens of times slower. Assertions stay enabled.
SANITIZED := -Xswiftc -O -Xswiftc -assert-config -Xswiftc Debug
TSAN := TSAN_OPTIONS=$(TSAN_OPTIONS) $(TEST) $(SANITIZED) --sanitize thread --scratch-path .build/sanitize-thread
ASAN := ASAN_OPTIONS=$(ASAN_OPTIONS) $(TEST) $(SANITIZED) --sanitize address --scratch-path .build/sanitize-address

# Passed on as typed: neither make nor a shell expands them.
override URLS := $(value URLS)
export URLS

.DEFAULT_GOAL := help
.PHONY: help setup demo gallery test test-debian13 build lint format sanitize fuzz bench bench-quick docs-images screenshots \
	install clean

help: ## Print this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /\1|/p' Makefile | while IFS='|' read -r name text; do \
		printf '  make %-13s %s\n' "$$name" "$$text"; done

setup: ## Install the system libraries that are missing
	@scripts/setup.sh demo

demo: setup ## Build and run the demo: make demo [URLS="https://… file:…"]
	@scripts/demo.sh

gallery: ## Build and run the GTK gallery: make gallery [URLS="https://…"]
	@scripts/setup.sh test
	@scripts/gallery.sh

test: ## Check the style, then run all tests with all traits
	@scripts/setup.sh test
	@scripts/check.sh
	@$(TEST)

test-debian13: ## Run all tests in a Debian 13 root, made with debootstrap; needs root rights
	@scripts/test-debian13.sh $(TRAITS)

build: setup ## Build in debug mode
	@swift build

lint: ## Check the style only
	@scripts/check.sh

format: ## Format the sources
	@swift format --in-place --recursive Sources Tests Examples Benchmarks Package.swift

sanitize: ## Run the tests under the thread and address sanitizers
	@scripts/setup.sh test
	@$(TSAN)
	@$(ASAN)

# bash reserves SECONDS, so the script gets it by another name.
fuzz: ## Run libFuzzer on decoders and parsers: make fuzz [SECONDS=600] [TARGETS="png gif"]
	@scripts/setup.sh test
	@ASAN_OPTIONS=$(ASAN_OPTIONS) SECONDS_IN_ALL='$(SECONDS)' TARGETS='$(TARGETS)' scripts/fuzz.sh HEIF,JXL,TIFF,JP2,SVG

bench: ## Measure against alternative libraries: make bench [ROWS="thumbnail disk"] [ROUNDS=3]
	@scripts/setup.sh bench
	@ROWS='$(ROWS)' ROUNDS='$(ROUNDS)' scripts/bench.sh

bench-quick: ## Measure in one round, with caches of up to 100,000 entries
	@scripts/setup.sh bench
	@ROWS='$(ROWS)' ROUNDS=1 LARGEST=100000 scripts/bench.sh

docs-images: setup ## Redraw the pictures of the documentation
	@swift run --configuration release AlcedoDocsImages Sources/Alcedo/Alcedo.docc

screenshots: ## Redraw the gallery's screenshots in docs/images
	@scripts/setup.sh test
	@scripts/screenshots.sh

# All formats by default; TRAITS= selects some. The command loads Swift's libraries from the toolchain; STATIC=1 links them statically.
FORMATS := HEIF,JXL,TIFF,JP2,SVG
override INSTALL_TRAITS := $(if $(filter command,$(firstword $(origin TRAITS))),$(TRAITS),$(FORMATS))
HELPERS := alcedo-decode $(if $(foreach trait,HEIF JXL TIFF JP2,$(findstring $(trait),$(INSTALL_TRAITS))),alcedo-decode-heif) \
	$(if $(findstring SVG,$(INSTALL_TRAITS)),alcedo-decode-svg)
INSTALL_BUILD := $(if $(STATIC),.build/install-static,.build/install)

install: ## Install the alcedo command and its helpers: make install [PREFIX=/usr/local] [TRAITS=HEIF,JXL,TIFF,JP2,SVG] [STATIC=1]
	@scripts/setup.sh install '$(INSTALL_TRAITS)'
	@for product in alcedo $(HELPERS); do \
		SWIFT_DETERMINISTIC_HASHING=1 swift build --configuration release --product $$product -Xlinker -s \
			$(if $(STATIC),--static-swift-stdlib) $(if $(INSTALL_TRAITS),--traits $(INSTALL_TRAITS)) \
			--scratch-path $(INSTALL_BUILD) || exit 1; done
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/alcedo"
	install -m 755 $(INSTALL_BUILD)/release/alcedo "$(DESTDIR)$(PREFIX)/bin/alcedo"
	install -m 755 $(HELPERS:%=$(INSTALL_BUILD)/release/%) "$(DESTDIR)$(PREFIX)/libexec/alcedo/"

clean: ## Delete all build output
	@rm -rf .build build
