/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_WAIT_H
#define R5S_WAIT_H

#include <linux/types.h>

struct r5s_array;

void r5s_wait_timing(bool on);
void r5s_wait_forget(void);
u64 r5s_wait_untracked(void);
/* Called by hooks. */
void r5s_wait_over(struct r5s_array *a, const void *conf);
void r5s_wait_mark(void);
bool r5s_wait_unmark(void);

#endif /* R5S_WAIT_H */
