/* SPDX-License-Identifier: GPL-2.0 */
#ifndef R5S_VERSION_H
#define R5S_VERSION_H

#define R5S_VERSION "0.1"

#endif /* R5S_VERSION_H */
