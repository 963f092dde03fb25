/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading UTF-8 that nobody vouches for.
 */
#ifndef R5S_RENDER_UTF8_H
#define R5S_RENDER_UTF8_H

#include <stddef.h>
#include <stdint.h>

/**
 * r5s_utf8_next - the next character
 * @text: bytes
 * @len: their number
 * @c: code point
 *
 * Return: bytes used; 0 when they are no UTF-8 (too long forms, surrogates and numbers above 10FFFF
 * are none).
 */
size_t r5s_utf8_next(const char *text, size_t len, uint32_t *c);

/**
 * r5s_utf8_width - screen columns of a character
 * @c: code point
 *
 * Return: 0 to 2; -1 when it must not reach a terminal: control characters, and the invisible or
 * direction-changing ones that make a name look like another.
 */
int r5s_utf8_width(uint32_t c);

#endif
