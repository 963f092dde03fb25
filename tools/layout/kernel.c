// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of one installed kernel: its BTF and the build-ids of its md modules. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layout.h"

static const char * const suffixes[] = { "", ".xz", ".zst", ".gz" };

static int find_module(const struct layout_kernel *k, const char *name, char *path, size_t len)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(path, len, "%s/lib/modules/%s/kernel/drivers/md/%s.ko%s", k->root,
			 k->release, name, suffixes[i]);
		if (!access(path, F_OK))
			return 0;
	}
	return -ENOENT;
}

static int not_installed(const struct layout_kernel *k, const char *what)
{
	fprintf(stderr,
		"layout: %s of kernel %s is not installed: "
		"apt-get install linux-image-%s linux-headers-%s\n",
		what, k->release, k->release, k->release);
	return LAYOUT_MISSING;
}

static int load(const char *path, struct layout_blob *blob)
{
	int ret = layout_blob_read(path, blob);

	if (ret) {
		fprintf(stderr, "layout: %s: %s%s\n", path, strerror(-ret),
			ret == -EACCES ? ": run as root, or make it readable" : "");
		return LAYOUT_MISSING;
	}
	ret = layout_blob_unpack(path, blob);
	if (ret) {
		free(blob->data);
		blob->data = NULL;
	}
	return ret;
}

/* The bytes of a section, inside the blob; NULL when the file has none. */
static Elf_Data *section(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *n;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		n = elf_strptr(elf, names, sh.sh_name);
		if (n && !strcmp(n, name))
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

static Elf *open_elf(const char *path, struct layout_blob *blob)
{
	Elf *elf = elf_memory((char *)blob->data, blob->size);

	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		fprintf(stderr, "layout: %s: not an ELF file: reinstall its package\n", path);
		if (elf)
			elf_end(elf);
		return NULL;
	}
	return elf;
}

static void build_id(Elf *elf, char *hex, size_t len)
{
	Elf_Data *d = section(elf, ".note.gnu.build-id");
	size_t off = 0, name, desc;
	GElf_Nhdr n;

	hex[0] = 0;
	while (d && (off = gelf_getnote(d, off, &n, &name, &desc))) {
		const unsigned char *id = (const unsigned char *)d->d_buf + desc;

		if (n.n_type != 3 /* NT_GNU_BUILD_ID */ || n.n_descsz * 2 >= len)
			continue;
		for (size_t i = 0; i < n.n_descsz; i++)
			snprintf(hex + 2 * i, 3, "%02x", id[i]);
		return;
	}
}

/* libbpf 1.1 declares btf__new_split() but exports only its twin that takes a path. */
static struct btf *parse_split(Elf_Data *d, struct btf *base)
{
	struct btf *btf = NULL;
	char path[64];
	int fd = memfd_create("btf", MFD_CLOEXEC);

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, d->d_buf, d->d_size) == (ssize_t)d->d_size)
		btf = btf__parse_raw_split(path, base);
	close(fd);
	return btf;
}

/* The small vmlinux of newer linux-headers opens at once; unpacking the image takes a second. */
static int open_base(struct layout_kernel *k)
{
	static const char * const where[] = {
		"%s/usr/src/linux-headers-%s/vmlinux", "%s/lib/modules/%s/vmlinux",
		"%s/boot/vmlinux-%s", "%s/boot/vmlinuz-%s", "%s/lib/modules/%s/vmlinuz",
	};
	bool found = false;

	for (size_t i = 0; i < sizeof(where) / sizeof(where[0]) && !k->base; i++) {
		struct layout_blob blob;
		Elf_Data *d = NULL;
		Elf *elf;
		int ret;

		snprintf(k->base_path, sizeof(k->base_path), where[i], k->root, k->release);
		if (access(k->base_path, F_OK))
			continue;
		found = true;
		ret = load(k->base_path, &blob);
		if (ret)
			return ret;
		elf = open_elf(k->base_path, &blob);
		if (elf)
			d = section(elf, ".BTF");
		if (d)
			k->base = btf__new(d->d_buf, (unsigned int)d->d_size);
		if (elf)
			elf_end(elf);
		free(blob.data);
	}
	if (!found)
		return not_installed(k, "the image (boot/vmlinuz)");
	if (!k->base) {
		fprintf(stderr,
			"layout: kernel %s has no BTF: build for one with CONFIG_DEBUG_INFO_BTF=y, "
			"or use --none (the module then looks for BTF when it is loaded)\n",
			k->release);
		return LAYOUT_MISSING;
	}
	return 0;
}

static int open_raid456(struct layout_kernel *k, const char *path)
{
	struct layout_blob blob;
	Elf_Data *d, *own;
	Elf *elf;
	int ret = load(path, &blob);

	if (ret)
		return ret;
	elf = open_elf(path, &blob);
	if (!elf) {
		free(blob.data);
		return LAYOUT_MISSING;
	}
	build_id(elf, k->raid456_id, sizeof(k->raid456_id));
	d = section(elf, ".BTF");
	own = section(elf, ".BTF.base");
	if (d && own) {
		btf__free(k->base);
		k->base = btf__new(own->d_buf, (unsigned int)own->d_size);
		snprintf(k->base_path, sizeof(k->base_path), "%s", path);
	}
	if (d && k->base)
		k->split = parse_split(d, k->base);
	elf_end(elf);
	free(blob.data);
	if (!d) {
		fprintf(stderr,
			"layout: %s has no BTF: build for one with CONFIG_DEBUG_INFO_BTF_MODULES, "
			"or use --none (the module then looks for BTF when it is loaded)\n",
			path);
		return LAYOUT_MISSING;
	}
	if (!k->split) {
		fprintf(stderr,
			"layout: the BTF of %s and that of %s come from different builds: "
			"apt-get install --reinstall linux-image-%s linux-headers-%s\n",
			path, k->base_path, k->release, k->release);
		return LAYOUT_MISSING;
	}
	return 0;
}

static int open_md_mod(struct layout_kernel *k)
{
	struct layout_blob blob;
	char path[512];
	Elf *elf;
	int ret;

	if (find_module(k, "md-mod", path, sizeof(path)))
		return 0;	/* built in: the vmlinux has no id of its own for md */
	ret = load(path, &blob);
	if (ret)
		return ret;
	elf = open_elf(path, &blob);
	if (elf) {
		build_id(elf, k->md_mod_id, sizeof(k->md_mod_id));
		elf_end(elf);
	}
	free(blob.data);
	return elf ? 0 : LAYOUT_MISSING;
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

/**
 * layout_kernel_open() - load the BTF and the build-ids of an installed kernel
 * @k: root and release are set by the caller; layout_kernel_close() frees the rest
 *
 * Return: 0, or LAYOUT_MISSING after a message that says which package brings what is missing.
 */
int layout_kernel_open(struct layout_kernel *k)
{
	char path[512];
	int ret;

	elf_version(EV_CURRENT);
	libbpf_set_print(quiet);
	if (find_module(k, "raid456", path, sizeof(path)))
		return not_installed(k, "raid456.ko");
	ret = open_base(k);
	if (!ret)
		ret = open_raid456(k, path);
	if (!ret)
		ret = open_md_mod(k);
	return ret;
}

/**
 * layout_kernel_close() - free what layout_kernel_open() loaded
 * @k: the kernel, also after a failed open
 */
void layout_kernel_close(struct layout_kernel *k)
{
	btf__free(k->split);
	btf__free(k->base);
	k->split = NULL;
	k->base = NULL;
}
