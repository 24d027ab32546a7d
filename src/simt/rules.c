#include "simt/query.h"

const struct gate_rule_info gate_rules[N_GATE_RULES] = {
#define X(id, name, class, severity, title) {#id, class, title, SEV_##severity},
	GATE_RULES(X)
#undef X
};

bool
gate_refuses(const struct gate_query *q, enum gate_severity sev)
{
	return sev == SEV_REFUSE || (sev == SEV_EXIT && !q->exit_release) ||
	       (sev == SEV_SITE && !q->site_lenient);
}
