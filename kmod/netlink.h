/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_NETLINK_H
#define R5S_NETLINK_H

int r5s_netlink_init(void);
void r5s_netlink_exit(void);

#endif /* R5S_NETLINK_H */
