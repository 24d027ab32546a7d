#include "gate/rules.h"

const struct gate_rule_info gate_rules[N_GATE_RULES] = {
#define X(id, name, class, severity, title) {#id, class, title, SEV_##severity},
	GATE_RULES(X)
#undef X
};
