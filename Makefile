# Thin front end of the CMake build. The two commands that matter:
#   make demo   installs what is missing, builds what three examples need, runs them
#   make test   installs what is missing, builds, runs every test this machine can run
# and, while something is changed: make quick. CONTRIBUTING.md says more.
BUILD   ?= build
PREFIX  ?= /usr/local
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE   ?= cmake

# Debian 12 packages. Nothing else is needed, nothing is downloaded by other means.
BUILD_PACKAGES = gcc libc6-dev make cmake lua5.4 liblua5.4-dev lua-lpeg lua-lpeg-dev lua-argparse lua-dkjson libdw-dev
TEST_PACKAGES  = g++ gfortran lua-busted lua-check clang-tidy clang-format clang libomp-dev graphviz tmux libedit2 \
                 pkgconf perl libxml2-utils mandoc libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0 dpkg-dev file
BENCH_PACKAGES = g++

# Packages come before what needs them.
.NOTPARALLEL:
.PHONY: all configured build demo quick test weekly test-cuda carry-cuda bench bench-cuda docs disagreements install dist selfcontained deb \
        vsix test-install clean deps-build deps-test deps-deb deps-bench

all: build

# Shown while somebody waits: minutes on two idle cores, of README, too.
BUILD_TIME = 2 minutes
DEMO_TIME  = half a minute
TEST_TIME  = 16 minutes
PROGRESS   = @tests/progress
# says WHAT,TIME,FILE: tells how long it takes, where the file does not exist yet.
says = @[ -e $(3) ] || echo "$(1): about $(2) on two idle cores"

# Configured each time, which takes a moment: tools may have come since.
configured: deps-build
	@$(CMAKE) -S . -B $(BUILD) $(CMAKE_ARGS) >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }

build: configured
	$(call says,build,$(BUILD_TIME),$(BUILD)/accdeep)
	$(PROGRESS) build $(BUILD)/log $(CMAKE) --build $(BUILD) -j $(JOBS) -- --no-print-directory
	@echo "build: $(BUILD)/accdeep"

# With the build that is there or, where there is none, with less of it, and optimized less: in a folder of its own.
DEMO = $(if $(wildcard $(BUILD)/accdeep),$(BUILD),$(BUILD)/demo)
DEMO_OPTIONS = $(if $(wildcard $(BUILD)/accdeep),,-DHAVE_LTO=OFF "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG")
demo: deps-build
	$(call says,demo,$(DEMO_TIME),$(DEMO)/accdeep)
	@$(CMAKE) -S . -B $(DEMO) $(DEMO_OPTIONS) $(CMAKE_ARGS) >$(BUILD)/log 2>&1 || { cat $(BUILD)/log; exit 1; }
	$(PROGRESS) demo $(BUILD)/log $(CMAKE) --build $(DEMO) -j $(JOBS) --target accdeep-demo -- --no-print-directory
	@examples/demo $(DEMO)

# Within a minute, in a debug build of its own: ONLY=regex, those of these names; ABOUT=regex, those with such a label.
quick: deps-test
	@[ -f build-debug/CMakeCache.txt ] && [ -z "$(CMAKE_ARGS)" ] || $(CMAKE) --preset debug $(CMAKE_ARGS) >$(BUILD)/log 2>&1 || { cat $(BUILD)/log; exit 1; }
	$(PROGRESS) build $(BUILD)/log $(CMAKE) --build --preset quick -j $(JOBS) -- --no-print-directory
	@ctest --preset quick -j $(JOBS) $(if $(ONLY),-R '$(ONLY)') $(if $(ABOUT),-L '$(ABOUT)')

test: deps-test
	@echo "test: about $(TEST_TIME) on two idle cores"
	@$(MAKE) --no-print-directory build
	@tests/run $(BUILD)

# What takes long and changes little: mutated scenarios, errors that no test reaches, the whole of what `make test` does
# in part. Prints what shows nothing.
weekly: deps-test build
	@tests/run $(BUILD) weekly

bench: deps-bench build
	$(PROGRESS) build $(BUILD)/log $(CMAKE) --build $(BUILD) -j $(JOBS) --target accdeep-bench accdeep-bench-directory accdeep-bench-embed -- --no-print-directory
	@LUA_PATH="lua/?.lua;lua/?/init.lua;;" LUA_CPATH="$(BUILD)/lua/?.so;;" lua5.4 tests/bench/bench.lua $(BENCH)
	@lua5.4 tests/bench/programs.lua $(BUILD)
	@lua5.4 tests/bench/checks.lua $(BUILD)
	@lua5.4 tests/bench/lower.lua $(BUILD)
	@lua5.4 tests/bench/directory.lua $(BUILD) $(BENCH)
	@$(BUILD)/tests/bench/accdeep-bench-embed

# On the machine's own GPU; `make test` has the same on a stand-in for its driver. With REMOTE="ssh gpu" tests and
# benchmarks run on that machine, which needs the driver alone; the report is fetched.
test-cuda: deps-test build $(if $(REMOTE),carry-cuda)
	@$(if $(REMOTE),tests/cuda/remote $(BUILD) "$(REMOTE)",tests/cuda/run $(BUILD) test)

# For such a machine that is reached otherwise, as a folder: $(BUILD)/carry.
carry-cuda: deps-test build
	$(PROGRESS) build $(BUILD)/log $(CMAKE) --build $(BUILD) -j $(JOBS) --target tests accdeep-bench-cuda accdeep-bench-directory accdeep-selfcontained -- --no-print-directory
	@tests/cuda/carry $(BUILD) $(BUILD)/carry

bench-cuda: deps-bench build
	@tests/cuda/run $(BUILD) bench

# Makes spec/reference/ and examples/glossary.md again: the reference, rules, profiles, C interfaces, terms.
docs: configured
	$(PROGRESS) build $(BUILD)/log $(CMAKE) --build $(BUILD) -j $(JOBS) --target docs -- --no-print-directory
	@echo "spec/reference/index.md"

# Explores the vocabularies again, and makes spec/disagreements/ and the page about them: some minutes.
disagreements: configured
	$(PROGRESS) build $(BUILD)/log $(CMAKE) --build $(BUILD) -j $(JOBS) --target disagreements -- --no-print-directory
	@echo "spec/reference/disagreements.md"

install: build
	@$(CMAKE) --install $(BUILD) --prefix $(PREFIX)

# Into $(BUILD)/dist: the sources; one program file for machines that have only a C library and a driver.
dist:
	@lua/package/dist source . $(BUILD)/dist

selfcontained: build
	$(PROGRESS) build $(BUILD)/log $(CMAKE) --build $(BUILD) --target accdeep-selfcontained -- --no-print-directory
	@lua/package/dist selfcontained $(BUILD) $(BUILD)/dist

# $(BUILD)/dist/accdeep_VERSION_ARCHITECTURE.deb, which `apt install ./FILE` takes.
deb: deps-deb build
	@cd $(BUILD) && cpack -G DEB -B dist >log 2>&1 || { cat log; exit 1; }
	@ls $(BUILD)/dist/*.deb

# The package and the archive on clean systems, and the image of Containerfile: about 10 minutes, as root.
test-install: deps-deb selfcontained
	@tests/package/systems $(BUILD)

# $(BUILD)/dist/accdeep-VERSION.vsix, the extension for VS Code; it takes Node.js, and npm fetches the tool that packs it.
vsix:
	@mkdir -p $(BUILD)/dist && rm -rf $(BUILD)/vsix && cp -r lua/package/vscode $(BUILD)/vsix
	@cd $(BUILD)/vsix && npx --yes @vscode/vsce@3 package --allow-missing-repository --skip-license --no-dependencies \
	    -o ../dist/ >../vsix.log 2>&1 || { cat ../vsix.log; exit 1; }
	@ls $(BUILD)/dist/*.vsix

clean:
	rm -rf $(BUILD)

deps-build:
	@mkdir -p $(BUILD)
	@tests/packages $(BUILD_PACKAGES)
deps-test:
	@mkdir -p $(BUILD)
	@tests/packages $(BUILD_PACKAGES) $(TEST_PACKAGES)
deps-deb:
	@mkdir -p $(BUILD)
	@tests/packages $(BUILD_PACKAGES) dpkg-dev file
deps-bench:
	@mkdir -p $(BUILD)
	@tests/packages $(BUILD_PACKAGES) $(BENCH_PACKAGES)
