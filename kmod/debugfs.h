/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_DEBUGFS_H
#define R5S_DEBUGFS_H

void r5s_debugfs_init(void);
void r5s_debugfs_exit(void);
void r5s_debugfs_sync(void);

#endif /* R5S_DEBUGFS_H */
