/* Every node of the graph, ended by NULL; the list is in cmd_node.c. */
#ifndef CMD_NODE_TABLE_H
#define CMD_NODE_TABLE_H

#include "node/node.h"

extern const struct node *const node_table[];

#endif
