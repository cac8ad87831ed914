# `make demo` and `make test` are all that a fresh machine needs; both get it ready first.

PREFIX ?= /usr/local
TRAITS := GTK,HEIF,JXL,SVG
# Leaks are not looked for: Swift hides pointers to objects with weak references, and each would count as one.
ASAN_OPTIONS := detect_leaks=0:suppressions=$(CURDIR)/scripts/asan.supp:allocator_may_return_null=1
# Some tests ask for more memory than there is, and are to be told so.
TSAN_OPTIONS := allocator_may_return_null=1
TEST := scripts/run-tests.sh --traits $(TRAITS)
# A sanitizer makes code tens of times slower unless it is optimised; assertions are checked all the same.
SANITIZED := -Xswiftc -O -Xswiftc -assert-config -Xswiftc Debug
TSAN := TSAN_OPTIONS=$(TSAN_OPTIONS) $(TEST) $(SANITIZED) --sanitize thread --scratch-path .build/sanitize-thread
ASAN := ASAN_OPTIONS=$(ASAN_OPTIONS) $(TEST) $(SANITIZED) --sanitize address --scratch-path .build/sanitize-address

# Handed on as they were typed: neither make nor a shell looks inside.
override URLS := $(value URLS)
export URLS

.DEFAULT_GOAL := help
.PHONY: help setup demo gallery test build lint format sanitize fuzz bench bench-quick docs-images screenshots \
	install clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1|/p' Makefile | while IFS='|' read -r name text; do \
		printf '  make %-11s %s\n' "$$name" "$$text"; done

setup: ## Install the system libraries that are missing
	@scripts/setup.sh demo

demo: setup ## Build and run the demo: make demo [URLS="https://… file:…"]
	@scripts/demo.sh

gallery: ## Build and run the GTK gallery: make gallery [URLS="https://…"]
	@scripts/setup.sh test
	@scripts/gallery.sh

test: ## Check the style, then run every test with all traits
	@scripts/setup.sh test
	@scripts/check.sh
	@$(TEST)

build: setup ## Build for debugging
	@swift build

lint: ## Check the style only
	@scripts/check.sh

format: ## Rewrite the sources in the house style
	@swift format --in-place --recursive Sources Tests Examples Benchmarks Package.swift

sanitize: ## Run the tests under the thread and address sanitizers
	@scripts/setup.sh test
	@$(TSAN)
	@$(ASAN)

# SECONDS is a variable of bash's own, so that it needs another name on the way.
fuzz: ## Have libFuzzer break decoders and parsers: make fuzz [SECONDS=600] [TARGETS="png gif"]
	@scripts/setup.sh test
	@ASAN_OPTIONS=$(ASAN_OPTIONS) SECONDS_IN_ALL='$(SECONDS)' TARGETS='$(TARGETS)' scripts/fuzz.sh HEIF,JXL,SVG

bench: ## Measure against what people would use instead: make bench [ROWS="thumbnail disk"] [ROUNDS=3]
	@scripts/setup.sh bench
	@ROWS='$(ROWS)' ROUNDS='$(ROUNDS)' scripts/bench.sh

bench-quick: ## The same in one round, with caches of up to 100,000 entries
	@scripts/setup.sh bench
	@ROWS='$(ROWS)' ROUNDS=1 LARGEST=100000 scripts/bench.sh

docs-images: setup ## Draw the pictures of the documentation again
	@swift run --configuration release AlcedoDocsImages Sources/Alcedo/Alcedo.docc

screenshots: ## Draw the pictures of the gallery in docs/images again
	@scripts/setup.sh test
	@scripts/screenshots.sh

# All formats, unless TRAITS= says which. The command finds Swift's libraries where the toolchain is; STATIC=1 takes them along.
FORMATS := HEIF,JXL,SVG
override INSTALL_TRAITS := $(if $(filter command,$(firstword $(origin TRAITS))),$(TRAITS),$(FORMATS))
HELPERS := alcedo-decode $(if $(findstring HEIF,$(INSTALL_TRAITS))$(findstring JXL,$(INSTALL_TRAITS)),alcedo-decode-heif) \
	$(if $(findstring SVG,$(INSTALL_TRAITS)),alcedo-decode-svg)
INSTALL_BUILD := $(if $(STATIC),.build/install-static,.build/install)

install: ## Install the alcedo command and its helpers: make install [PREFIX=/usr/local] [TRAITS=HEIF,JXL,SVG] [STATIC=1]
	@scripts/setup.sh install '$(INSTALL_TRAITS)'
	@for product in alcedo $(HELPERS); do \
		SWIFT_DETERMINISTIC_HASHING=1 swift build --configuration release --product $$product -Xlinker -s \
			$(if $(STATIC),--static-swift-stdlib) $(if $(INSTALL_TRAITS),--traits $(INSTALL_TRAITS)) \
			--scratch-path $(INSTALL_BUILD) || exit 1; done
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/alcedo"
	install -m 755 $(INSTALL_BUILD)/release/alcedo "$(DESTDIR)$(PREFIX)/bin/alcedo"
	install -m 755 $(HELPERS:%=$(INSTALL_BUILD)/release/%) "$(DESTDIR)$(PREFIX)/libexec/alcedo/"

clean: ## Delete everything that was built
	@rm -rf .build build
