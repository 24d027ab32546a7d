#include "model/budget.h"

/* "90s", "10m", "1.5h" */
static bool
parse_seconds(struct str text, double *s)
{
	static const struct {
		char unit;
		double s;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
	double v;
	for (size_t i = 0; text.n && i < sizeof units / sizeof units[0]; i++) {
		if (text.s[text.n - 1] != units[i].unit)
			continue;
		if (!str_to_f64(str_sub(text, 0, text.n - 1), &v))
			return false;
		*s = v * units[i].s;
		return *s > 0 && *s < 1e9;
	}
	return false;
}

bool
budget_parse(struct str text, struct budget *out)
{
	static const char device[] = "device:";
	struct budget b = {.text = text};
	if (str_to_u64(text, &b.candidates)) {
		b.kind = BUDGET_CANDIDATES;
		*out = b;
		return b.candidates > 0;
	}
	b.kind = BUDGET_WALL;
	if (str_starts(text, device)) {
		b.kind = BUDGET_DEVICE;
		text = str_sub(text, strlen(device), text.n);
	}
	if (!parse_seconds(text, &b.seconds))
		return false;
	*out = b;
	return true;
}
