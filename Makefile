# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every target that a person types; "make" alone lists them.

KERNEL ?= $(if $(wildcard /lib/modules/$(shell uname -r)/build),$(shell uname -r),6.1)
prefix ?= /usr/local
bindir ?= $(prefix)/bin
mandir ?= $(prefix)/share/man
DESTDIR ?=

build := build
CC ?= gcc
CFLAGS ?= -O2 -g
warn := -Wall -Wextra -Wshadow
std := -std=gnu11 -D_GNU_SOURCE
san := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
ubuild := $(build)/user$(if $(SANITIZE),-san)

spec := Documentation/netlink/specs/raid5stat.yaml

# Package names are resolved only where a recipe needs them.
pkg = $(shell pkg-config $(1) libnl-3.0 libnl-genl-3.0 libkmod sqlite3 json-c gsl zlib)

.PHONY: help all module user tools demo check check-debug soak bench install uninstall clean packages spec

help:
	@echo 'raid5stat: what holds an md RAID4/5/6 array back'
	@echo
	@echo '  make demo [KERNEL=6.12]    install what is missing, boot a guest, run fs_mark on a RAID5, report'
	@echo '  make check                 every test, in guests where a kernel is needed'
	@echo '  make check-debug           the module under KASAN, lockdep and kmemleak, on kernels that it builds (half an'
	@echo '                             hour each), or on ready ones in R5S_DEBUG_KERNEL=DIR'
	@echo '  make soak [SECONDS=3600] [SEED=N] [KERNEL=V]   random operations on arrays under load, from a printed seed'
	@echo '  make bench                 what it costs, in instructions: every script of tools/bench'
	@echo '  make all                   module and user'
	@echo '  make module [KERNEL=V]     the kernel module: V is 6.1, 6.12 or a full release (now: $(KERNEL))'
	@echo '  make user                  the reader, build/raid5stat'
	@echo '  make install               both, below DESTDIR and prefix ($(prefix)); uninstall takes them away'
	@echo '  make spec                  generate again what comes from $(spec)'
	@echo '  make packages              only install the Debian packages that all of this needs'
	@echo '  make clean                 remove build/'

all: module user

packages:
	tools/packages --kernel $(KERNEL) module user demo check

# --- the kernel module ---------------------------------------------------------------------------
# Built in a copy of the sources, so that two kernels do not disturb each other.

module: $(build)/layout
	tools/module $(KERNEL) $(build)

$(build)/layout: $(wildcard tools/layout/*.c tools/layout/*.h kmod/layout-fields.h)
	tools/packages module
	@mkdir -p $(build)
	$(CC) $(std) $(warn) $(CFLAGS) -Ikmod -o $@ $(filter %.c,$^) -lbpf -lelf -llzma -lzstd -llz4 -lz

# --- the reader ----------------------------------------------------------------------------------

user_src := $(sort $(foreach d,. cmd source workload store analysis report compare render record ui,$(wildcard user/$(d)/*.c)))
user_obj := $(user_src:user/%.c=$(ubuild)/%.o)
user_inc := -Iuser -Iinclude -Iinclude/uapi

user: $(ubuild)/raid5stat
ifeq ($(SANITIZE),)
	@ln -sf user/raid5stat $(build)/raid5stat
endif

$(ubuild)/raid5stat: $(user_obj)
	$(CC) $(san) $(LDFLAGS) -o $@ $^ $(call pkg,--libs) -lm

$(user_obj): $(ubuild)/%.o: user/%.c | $(build)/packages.user
	@mkdir -p $(@D)
	$(CC) $(std) $(warn) $(CFLAGS) $(san) $(user_inc) $(call pkg,--cflags) -MMD -MP -c -o $@ $<

$(build)/packages.user: tools/packages
	tools/packages user
	@mkdir -p $(build)
	@touch $@

-include $(user_obj:.o=.d)

# --- what is generated from the spec --------------------------------------------------------------

$(build)/metrics: tools/metrics/metrics.c
	tools/packages check
	@mkdir -p $(build)
	$(CC) $(std) $(warn) $(CFLAGS) -o $@ $< -lyaml

spec: $(build)/metrics
	tools/metrics/generate $(build)/metrics .

flavours := 6.1-rt 6.1-cloud 6.12-rt 6.12-cloud

# --- guests ---------------------------------------------------------------------------------------

demo:
	tools/packages --kernel $(KERNEL) module user demo
	@$(MAKE) --no-print-directory -s module user KERNEL=$(KERNEL)
	tools/demo $(KERNEL)

check:
	tools/packages $(addprefix --kernel ,6.1 6.12 $(flavours)) module user demo check
	tools/check/run

check-debug: export R5S_FUZZ ?= 1000000
check-debug: export R5S_DEBUG_SECONDS ?= 21600
check-debug:
	tools/packages module user demo check debug
	mkdir -p $(build)/selftests
	$(MAKE) -s -C selftests all OUTPUT=$(abspath $(build))/selftests
	tools/check/ynl $(build)/ynl
	tools/check/run debug-6.1 debug-6.12

SECONDS := 3600
SEED :=

soak:
	tools/packages --kernel $(KERNEL) module user demo check
	@$(MAKE) --no-print-directory -s module user KERNEL=$(KERNEL)
	mkdir -p $(build)/selftests
	$(MAKE) -s -C selftests all OUTPUT=$(abspath $(build))/selftests
	tools/check/soak $(KERNEL) $(SECONDS) $(SEED)

bench:
	tools/packages user check
	@rc=0; for b in tools/bench/*.sh; do $$b || rc=1; done; exit $$rc

# --- installation ---------------------------------------------------------------------------------

release = $(shell tools/vm/release $(KERNEL))
moddir = $(DESTDIR)/lib/modules/$(release)/updates
man := $(wildcard Documentation/man/*.[178])

install: module user
	install -D -m 644 $(build)/$(release)/kmod/raid5stat.ko $(moddir)/raid5stat.ko
	$(if $(DESTDIR),,depmod $(release))
	install -D -m 755 $(build)/raid5stat $(DESTDIR)$(bindir)/raid5stat
	for f in $(man); do install -D -m 644 $$f $(DESTDIR)$(mandir)/man$${f##*.}/$${f##*/} || exit; done

uninstall:
	rm -f $(moddir)/raid5stat.ko $(DESTDIR)$(bindir)/raid5stat
	for f in $(man); do rm -f $(DESTDIR)$(mandir)/man$${f##*.}/$${f##*/}; done
	$(if $(DESTDIR),,depmod $(release))

clean:
	rm -rf $(build)
