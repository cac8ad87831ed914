# `make demo` and `make test` work on a fresh machine; both install what is missing first.

PREFIX ?= /usr/local
TRAITS := $(shell scripts/traits.sh)
FORMATS := $(shell scripts/traits.sh formats)
# No leak detection: Swift stores pointers to weakly referenced objects in a form that the detector reports as leaks.
ASAN_OPTIONS := detect_leaks=0:suppressions=$(CURDIR)/scripts/asan.supp:allocator_may_return_null=1
# Some tests allocate more memory than exists, and expect the allocation to fail.
TSAN_OPTIONS := allocator_may_return_null=1
TEST := scripts/run-tests.sh --traits $(TRAITS)
SYMBOLS := scripts/symbols.sh build/api-symbols $(TRAITS)
API_CHECK := python3 scripts/api.py check build/api-symbols docs/api

# Neither make nor a shell expands these URLs.
override URLS := $(value URLS)
export URLS

.DEFAULT_GOAL := help
.PHONY: help setup demo gallery viewer serve-demo test check trials test-debian13 build lint format \
	sanitize sanitize-thread sanitize-address fuzz bench bench-quick bench-save load-cost lock-times sizes soak \
	bench-compare bench-chart api api-check docs docs-check svg-check docs-images man screenshots \
	install deb test-deb clean

help: ## Print this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /\1|/p' Makefile | while IFS='|' read -r name text; do \
		printf '  make %-13s %s\n' "$$name" "$$text"; done

setup: ## Install the system libraries that are missing
	@scripts/setup.sh demo

demo: setup ## Build and run the demo: make demo [URLS="https://… file:…"]
	@scripts/demo.sh

viewer: ## Build and run the photo viewer: make viewer [FILES=photo.jpg]
	@scripts/setup.sh test
	@SWIFT_DETERMINISTIC_HASHING=1 swift run --configuration release --traits GTK,$(FORMATS) Viewer $(FILES)

gallery: ## Build and run the GTK gallery: make gallery [URLS="https://…"]
	@scripts/setup.sh test
	@scripts/gallery.sh

serve-demo: ## Run two image servers with memcached and nginx, and a page that shows which cache each picture comes from
	@scripts/setup.sh serve-demo
	@scripts/serve-demo.sh

test: ## Check the style and the public API, then run all tests with all traits: make test [FILTER="GIF|a disk cache"]
	@scripts/setup.sh test
ifeq ($(FILTER),)
	@scripts/check.sh
	@$(TEST) --check-api
else
	@$(TEST) --filter '$(value FILTER)'
endif

check: ## Check what differs from main: style, API, tests of the changed targets: make check [LAYERS="3 4"]
	@scripts/setup.sh test
	@scripts/check-changes.sh $(TRAITS) $(LAYERS)

trials: ## Measure what tests can't: limits of time, throughput, the cost of observers and of the sandbox, calls that hang
	@scripts/setup.sh test
	@scripts/trials.sh $(TRAITS)

test-debian13: ## Run all tests in a Debian 13 root, made with debootstrap; needs root rights
	@scripts/test-debian13.sh $(TRAITS)

build: setup ## Build in debug mode
	@swift build

lint: ## Check the style only
	@scripts/check.sh

format: ## Format the sources
	@swift format --in-place --recursive Sources Tests Examples Benchmarks Package.swift

sanitize: sanitize-thread sanitize-address ## Run the tests under the sanitizers, each where it can find something

sanitize-thread:
	@scripts/setup.sh test
	@ALCEDOTESTS=thread TSAN_OPTIONS=$(TSAN_OPTIONS) $(TEST) --sanitize thread --scratch-path .build/sanitize-thread

sanitize-address:
	@scripts/setup.sh test
	@ALCEDOTESTS=address ASAN_OPTIONS=$(ASAN_OPTIONS) $(TEST) --sanitize address --scratch-path .build/sanitize-address

# bash reserves SECONDS, so the script gets it by another name.
fuzz: ## Run libFuzzer on decoders and parsers: make fuzz [SECONDS=600] [TARGETS="png gif"]
	@scripts/setup.sh test
	@ASAN_OPTIONS=$(ASAN_OPTIONS) SECONDS_IN_ALL='$(SECONDS)' TARGETS='$(TARGETS)' scripts/fuzz.sh $(FORMATS),Server

bench: ## Measure against alternative libraries: make bench [ROWS="thumbnail disk"] [ROUNDS=3]
	@scripts/setup.sh bench
	@ROWS='$(ROWS)' ROUNDS='$(ROUNDS)' scripts/bench.sh

bench-quick: ## Measure in one round
	@scripts/setup.sh bench
	@ROWS='$(ROWS)' ROUNDS=1 scripts/bench.sh

load-cost: ## Count the instructions of a load by stage, with valgrind
	@scripts/setup.sh test
	@scripts/load-cost.sh

lock-times: ## Measure how long each lock is held a load
	@scripts/lock-times.sh

sizes: ## Compare the bytes of results at equal look with libvips: make sizes [PICTURES=200]
	@scripts/setup.sh bench
	@PICTURES='$(PICTURES)' scripts/sizes.sh

soak: ## Load the image server and print which memory it takes: make soak [MINUTES=60]
	@scripts/setup.sh bench
	@MINUTES='$(MINUTES)' scripts/soak.sh

bench-save: ## Keep the results of the last make bench in docs/benchmarks.json
	@python3 scripts/bench-results.py save

bench-compare: ## Compare the results of the last make bench with those in docs/benchmarks.json
	@python3 scripts/bench-results.py compare

bench-chart: ## Draw the chart of the README from docs/benchmarks.json
	@python3 scripts/bench-chart.py

api: ## Write the list of public declarations, docs/api
	@scripts/setup.sh test
	@$(SYMBOLS)
	@python3 scripts/api.py write build/api-symbols docs/api

api-check: ## Compare the public declarations with docs/api
	@scripts/setup.sh test
	@$(SYMBOLS)
	@$(API_CHECK)

docs: ## Build the documentation site in build/docs: make docs [BASE_PATH=/Alcedo]
	@scripts/setup.sh docs
	@BASE_PATH='$(BASE_PATH)' scripts/docs.sh $(TRAITS)

docs-check: ## Open every page of the documentation site in Chromium
	@scripts/check-docs.sh

svg-check: ## Open hostile SVGs that alcedo serve has sanitised in Chromium
	@scripts/setup.sh test
	@scripts/check-svg.sh $(TRAITS)

man: ## Write the command's man pages and completions to build/man
	@scripts/setup.sh test
	@SWIFT_DETERMINISTIC_HASHING=1 swift build --product alcedo --traits $(TRAITS)
	@python3 scripts/man.py "$$(swift build --show-bin-path --traits $(TRAITS))/alcedo" build/man

docs-images: setup ## Redraw the pictures of the documentation
	@swift run --configuration release AlcedoDocsImages Sources/Alcedo/Alcedo.docc

screenshots: ## Redraw the screenshots of the gallery and the viewer
	@scripts/setup.sh test
	@scripts/screenshots.sh

# All formats by default; TRAITS= selects some, and may add Server (alcedo serve), Memcached and GTK (the gallery and the viewer).
# Swift's libraries are linked statically, which halves the time of a start; STATIC=0 loads them from the toolchain.
STATIC ?= 1
override INSTALL_TRAITS := $(if $(filter command,$(firstword $(origin TRAITS))),$(TRAITS),$(FORMATS))
HELPERS := alcedo-decode $(if $(strip $(foreach trait,HEIF JXL TIFF JP2,$(findstring $(trait),$(INSTALL_TRAITS)))),alcedo-decode-heif) \
	$(if $(findstring SVG,$(INSTALL_TRAITS)),alcedo-decode-svg) \
	$(if $(findstring Video,$(INSTALL_TRAITS)),alcedo-decode-video)
WINDOWED := $(if $(findstring GTK,$(INSTALL_TRAITS)),Gallery Viewer)
override STATIC := $(filter-out 0,$(STATIC))
INSTALL_BUILD := $(if $(STATIC),.build/install-static,.build/install)
# Where zsh looks below /usr/local; Debian's packages have vendor-completions.
ZSH_FOLDER ?= site-functions

# Those of the formats without a trait are in the file.
THUMBNAILED := $(if $(findstring HEIF,$(INSTALL_TRAITS)),image/avif;image/avif-sequence;image/heic;image/heif;)$(if \
	$(findstring JP2,$(INSTALL_TRAITS)),image/jp2;)$(if $(findstring JXL,$(INSTALL_TRAITS)),image/jxl;)
# What the viewer opens: desktops make thumbnails of the last two by themselves.
VIEWED := $(THUMBNAILED)$(if $(findstring TIFF,$(INSTALL_TRAITS)),image/tiff;)$(if \
	$(findstring SVG,$(INSTALL_TRAITS)),image/svg+xml;image/svg+xml-compressed;)

# The server's unit is with the trait Server only.
install: ## Install the alcedo command with its helpers, man pages and completions: make install [PREFIX=/usr/local] [TRAITS=HEIF,JXL,TIFF,JP2,SVG,Video,Server] [STATIC=0]
	@scripts/setup.sh install '$(INSTALL_TRAITS)'
	@for product in alcedo $(HELPERS) $(WINDOWED); do \
		SWIFT_DETERMINISTIC_HASHING=1 swift build --configuration release --product $$product -Xlinker -s -Xlinker -z -Xlinker now \
			$(if $(STATIC),--static-swift-stdlib) $(if $(INSTALL_TRAITS),--traits $(INSTALL_TRAITS)) \
			--scratch-path $(INSTALL_BUILD) || exit 1; done
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/alcedo"
	install -m 755 $(INSTALL_BUILD)/release/alcedo "$(DESTDIR)$(PREFIX)/bin/alcedo"
	install -m 755 $(HELPERS:%=$(INSTALL_BUILD)/release/%) "$(DESTDIR)$(PREFIX)/libexec/alcedo/"
	rm -rf $(INSTALL_BUILD)/man
	python3 scripts/man.py $(INSTALL_BUILD)/release/alcedo $(INSTALL_BUILD)/man
	install -d "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 644 $(INSTALL_BUILD)/man/man1/*.1 "$(DESTDIR)$(PREFIX)/share/man/man1/"
	install -D -m 644 $(INSTALL_BUILD)/man/bash/alcedo "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/alcedo"
	install -D -m 644 $(INSTALL_BUILD)/man/zsh/_alcedo "$(DESTDIR)$(PREFIX)/share/zsh/$(ZSH_FOLDER)/_alcedo"
	install -D -m 644 $(INSTALL_BUILD)/man/fish/alcedo.fish "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/alcedo.fish"
	install -D -m 644 packaging/alcedo.thumbnailer "$(DESTDIR)$(PREFIX)/share/thumbnailers/alcedo.thumbnailer"
	sed -i '/^MimeType=/s,=,=$(THUMBNAILED),' "$(DESTDIR)$(PREFIX)/share/thumbnailers/alcedo.thumbnailer"
ifneq ($(findstring Server,$(INSTALL_TRAITS)),)
	install -d "$(DESTDIR)$(PREFIX)/lib/systemd/system"
	sed 's,/usr/local/bin/,$(PREFIX)/bin/,' packaging/alcedo.service > "$(DESTDIR)$(PREFIX)/lib/systemd/system/alcedo.service"
	chmod 644 "$(DESTDIR)$(PREFIX)/lib/systemd/system/alcedo.service"
	install -m 644 packaging/alcedo.socket "$(DESTDIR)$(PREFIX)/lib/systemd/system/alcedo.socket"
endif
ifneq ($(WINDOWED),)
	install -m 755 $(INSTALL_BUILD)/release/Gallery "$(DESTDIR)$(PREFIX)/bin/alcedo-gallery"
	install -m 755 $(INSTALL_BUILD)/release/Viewer "$(DESTDIR)$(PREFIX)/bin/alcedo-viewer"
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/applications" packaging/*/*.desktop
	sed -i '/^MimeType=/s,=,=$(VIEWED),' "$(DESTDIR)$(PREFIX)/share/applications/io.alcedo.viewer.desktop"
	@# The index of types in which file managers look; a package's trigger updates it.
	[ "$(DESTDIR)" ] || update-desktop-database --quiet "$(PREFIX)/share/applications" || :
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/icons/hicolor/scalable/apps" packaging/*/*.svg
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/metainfo" packaging/*/*.metainfo.xml
	install -m 644 -t "$(DESTDIR)$(PREFIX)/share/man/man1" packaging/*/*.1
endif

deb: ## Build Debian packages of the command, the server, the gallery and the viewer in build/deb
	@scripts/deb.sh

test-deb: ## Install these packages in a clean root, use and remove them; needs root rights and debootstrap
	@scripts/test-deb.sh

clean: ## Delete all build output
	@rm -rf .build build
