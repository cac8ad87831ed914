# `make demo` and `make test` are all that a fresh machine needs; both get it ready first.

PREFIX ?= /usr/local
TRAITS := GTK,HEIF,JXL,SVG
# Leaks are not looked for: Swift hides pointers to objects with weak references, and each would count as one.
ASAN_OPTIONS := detect_leaks=0:suppressions=$(CURDIR)/scripts/asan.supp:allocator_may_return_null=1
# Some tests ask for more memory than there is, and are to be told so.
TSAN_OPTIONS := allocator_may_return_null=1
TEST := scripts/with-display.sh swift test --disable-xctest
# Under a sanitizer these keep both cores busy for minutes, in which the others' time-outs would pass: they run apart.
CPU_BOUND := 'Alcedo(Codecs|HEIF|JXL|SVG|Raster)Tests'
TSAN := TSAN_OPTIONS=$(TSAN_OPTIONS) $(TEST) --traits HEIF,JXL,SVG --sanitize thread \
	--scratch-path .build/sanitize-thread
ASAN := ASAN_OPTIONS=$(ASAN_OPTIONS) $(TEST) --traits $(TRAITS) --sanitize address \
	--scratch-path .build/sanitize-address

# Handed on as they were typed: neither make nor a shell looks inside.
override URLS := $(value URLS)
export URLS

.DEFAULT_GOAL := help
.PHONY: help setup demo gallery test build lint format sanitize docs-images screenshots install clean

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
	@$(TEST) --traits $(TRAITS)

build: setup ## Build for debugging
	@swift build

lint: ## Check the style only
	@scripts/check.sh

format: ## Rewrite the sources in the house style
	@swift format --in-place --recursive Sources Tests Examples Package.swift

sanitize: ## Run the tests under the thread and address sanitizers
	@scripts/setup.sh test
	@$(TSAN) --skip $(CPU_BOUND)
	@$(TSAN) --skip-build --filter $(CPU_BOUND)
	@$(ASAN) --skip $(CPU_BOUND)
	@$(ASAN) --skip-build --filter $(CPU_BOUND)

docs-images: setup ## Draw the pictures of the documentation again
	@swift run --configuration release AlcedoDocsImages Sources/Alcedo/Alcedo.docc

screenshots: ## Draw the pictures of the gallery in docs/images again
	@scripts/setup.sh test
	@scripts/screenshots.sh

install: setup ## Install the alcedo command: make install [PREFIX=/usr/local]
	@swift build --configuration release --product alcedo --static-swift-stdlib -Xlinker -s \
		--scratch-path .build/install
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 .build/install/release/alcedo "$(DESTDIR)$(PREFIX)/bin/alcedo"

clean: ## Delete everything that was built
	@rm -rf .build build
