// SPDX-License-Identifier: GPL-2.0-or-later
/* Files read whole, and the formats that kernels and modules are packed in. */
#include <errno.h>
#include <lz4.h>
#include <lz4frame.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include "layout.h"

#define UNPACKED_MAX	(1UL << 30)	/* ten times the largest vmlinux seen */
#define LZ4_LEGACY_BLOCK (8UL << 20)	/* fixed by the format */

/**
 * layout_blob_read() - read a whole file
 * @path: the file
 * @out: gets the bytes; free(out->data)
 *
 * Return: 0, or a negative errno.
 */
int layout_blob_read(const char *path, struct layout_blob *out)
{
	struct stat st;
	FILE *f = fopen(path, "rb");
	int ret = 0;

	if (!f)
		return -errno;
	if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
		fclose(f);
		return -EINVAL;
	}
	out->size = (size_t)st.st_size;
	out->data = malloc(out->size + 1);
	if (!out->data)
		ret = -ENOMEM;
	else if (fread(out->data, 1, out->size, f) != out->size)
		ret = -EIO;
	if (ret) {
		free(out->data);
		out->data = NULL;
	}
	fclose(f);
	return ret;
}

static uint32_t le32(const unsigned char *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static int grow(struct layout_blob *out, size_t *room)
{
	size_t want = *room ? *room * 2 : 16UL << 20;
	unsigned char *p;

	if (want > UNPACKED_MAX)
		return -1;
	p = realloc(out->data, want);
	if (!p)
		return -1;
	out->data = p;
	*room = want;
	return 0;
}

static int unpack_xz(const struct layout_blob *in, struct layout_blob *out)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret ret;
	size_t room = 0;

	if (lzma_stream_decoder(&s, UINT64_MAX, 0) != LZMA_OK)
		return -1;
	s.next_in = in->data;
	s.avail_in = in->size;
	do {
		if (s.total_out == room && grow(out, &room)) {
			ret = LZMA_MEM_ERROR;
			break;
		}
		s.next_out = out->data + s.total_out;
		s.avail_out = room - s.total_out;
		ret = lzma_code(&s, LZMA_FINISH);
	} while (ret == LZMA_OK);
	out->size = s.total_out;
	lzma_end(&s);
	return ret == LZMA_STREAM_END ? 0 : -1;
}

static int unpack_gzip(const struct layout_blob *in, struct layout_blob *out)
{
	z_stream s = { .next_in = in->data, .avail_in = (uInt)in->size };
	size_t room = 0;
	int ret;

	if (inflateInit2(&s, 15 + 16) != Z_OK)
		return -1;
	do {
		if (s.total_out == room && grow(out, &room)) {
			ret = Z_MEM_ERROR;
			break;
		}
		s.next_out = out->data + s.total_out;
		s.avail_out = (uInt)(room - s.total_out);
		ret = inflate(&s, Z_NO_FLUSH);
	} while (ret == Z_OK);
	out->size = s.total_out;
	inflateEnd(&s);
	return ret == Z_STREAM_END ? 0 : -1;
}

static int unpack_zstd(const struct layout_blob *in, struct layout_blob *out)
{
	ZSTD_inBuffer ib = { in->data, in->size, 0 };
	ZSTD_outBuffer ob = { NULL, 0, 0 };
	ZSTD_DStream *d = ZSTD_createDStream();
	size_t room = 0, ret = 1;

	if (!d)
		return -1;
	while (ret) {
		if (ob.pos == ob.size) {
			if (grow(out, &room))
				break;
			ob.dst = out->data;
			ob.size = room;
		}
		ret = ZSTD_decompressStream(d, &ob, &ib);
		if (ZSTD_isError(ret) || (ret && ib.pos == ib.size && ob.pos < ob.size))
			break;
	}
	out->size = ob.pos;
	ZSTD_freeDStream(d);
	return ret ? -1 : 0;
}

/* The format of `lz4 -l`, which the kernel's own build uses: blocks of 8 MiB, no end mark. */
static int unpack_lz4_legacy(const struct layout_blob *in, struct layout_blob *out)
{
	size_t pos = 4, room = 0;

	while (pos + 4 <= in->size) {
		uint32_t len = le32(in->data + pos);
		int n;

		pos += 4;
		if (len == 0x184c2102)	/* another frame follows */
			continue;
		if (!len)
			break;
		if (len > in->size - pos)
			return -1;
		while (room - out->size < LZ4_LEGACY_BLOCK)
			if (grow(out, &room))
				return -1;
		n = LZ4_decompress_safe((const char *)in->data + pos,
					(char *)out->data + out->size, (int)len, LZ4_LEGACY_BLOCK);
		if (n < 0)
			return -1;
		out->size += (size_t)n;
		pos += len;
	}
	return out->size ? 0 : -1;
}

static int unpack_lz4_frame(const struct layout_blob *in, struct layout_blob *out)
{
	LZ4F_dctx *d;
	size_t pos = 0, room = 0, ret = 1;

	if (LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)))
		return -1;
	while (ret) {
		size_t from = in->size - pos, to;

		if (out->size == room && grow(out, &room))
			break;
		to = room - out->size;
		ret = LZ4F_decompress(d, out->data + out->size, &to, in->data + pos, &from, NULL);
		if (LZ4F_isError(ret) || (ret && !from && !to))
			break;
		pos += from;
		out->size += to;
	}
	LZ4F_freeDecompressionContext(d);
	return ret ? -1 : 0;
}

static const struct {
	const char *name;
	unsigned char magic[6];
	size_t len;
	int (*unpack)(const struct layout_blob *in, struct layout_blob *out);
} formats[] = {
	{ "xz", { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, unpack_xz },
	{ "zstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4, unpack_zstd },
	{ "lz4", { 0x02, 0x21, 0x4c, 0x18 }, 4, unpack_lz4_legacy },
	{ "lz4", { 0x04, 0x22, 0x4d, 0x18 }, 4, unpack_lz4_frame },
	{ "gzip", { 0x1f, 0x8b }, 2, unpack_gzip },
	{ "no", { 0x7f, 'E', 'L', 'F' }, 4, NULL },
};

/* By its setup header: payload_offset counts from the end of the setup sectors. */
static int bzimage_payload(struct layout_blob *b)
{
	size_t start, len;

	if (b->size < 0x250 || memcmp(b->data + 0x202, "HdrS", 4))
		return 0;
	start = ((b->data[0x1f1] ? b->data[0x1f1] : 4) + 1) * 512UL + le32(b->data + 0x248);
	len = le32(b->data + 0x24c);
	if (len < 4 || start > b->size || len > b->size - start)
		return -1;
	memmove(b->data, b->data + start, len - 4);	/* the last four are the unpacked size */
	b->size = len - 4;
	return 0;
}

/**
 * layout_blob_unpack() - turn a kernel image or module into the ELF file inside
 * @path: its name, for messages
 * @blob: replaced by what is inside
 *
 * Knows bzImage, xz, zstd, lz4 (both formats), gzip and plain ELF.
 *
 * Return: 0, or LAYOUT_MISSING after a message.
 */
int layout_blob_unpack(const char *path, struct layout_blob *blob)
{
	struct layout_blob out = { NULL, 0 };

	if (bzimage_payload(blob)) {
		fprintf(stderr, "layout: %s: broken setup header: reinstall its package\n", path);
		return LAYOUT_MISSING;
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (blob->size < formats[i].len ||
		    memcmp(blob->data, formats[i].magic, formats[i].len))
			continue;
		if (!formats[i].unpack)
			return 0;
		if (formats[i].unpack(blob, &out)) {
			free(out.data);
			fprintf(stderr, "layout: %s: broken %s data: reinstall its package\n", path,
				formats[i].name);
			return LAYOUT_MISSING;
		}
		free(blob->data);
		*blob = out;
		return 0;
	}
	fprintf(stderr,
		"layout: %s: neither xz, zstd, lz4, gzip nor ELF: put the kernel's vmlinux into "
		"/usr/src/linux-headers-RELEASE\n",
		path);
	return LAYOUT_MISSING;
}
