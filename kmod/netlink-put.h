/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_NETLINK_PUT_H
#define R5S_NETLINK_PUT_H

struct sk_buff;
struct r5s_census;
struct r5s_event;
struct r5s_hist;
struct r5s_node_snapshot;
struct r5s_snapshot;

/* Each puts the attributes of one reply; -EMSGSIZE when there is no room. */
int r5s_put_info(struct sk_buff *skb);
int r5s_put_array(struct sk_buff *skb, const struct r5s_snapshot *s);
int r5s_put_node(struct sk_buff *skb, int nid, const struct r5s_node_snapshot *s);
int r5s_put_hist(struct sk_buff *skb, int waiter, const struct r5s_hist *h);
int r5s_put_census(struct sk_buff *skb, const struct r5s_census *c);
int r5s_put_event_multicast(const struct r5s_event *e);

#endif /* R5S_NETLINK_PUT_H */
