#include "model/param_json.h"

void
value_put(struct json_out *o, const char *key, const struct value *v)
{
	switch (v->kind) {
	case VALUE_INT: json_put_i64(o, key, v->i); break;
	case VALUE_REAL: json_put_real(o, key, v->f); break;
	case VALUE_BOOL: json_put_bool(o, key, v->i != 0); break;
	case VALUE_STRING: json_put_str(o, key, v->s); break;
	}
}

void
params_put(struct json_out *o, const struct kernel *k)
{
	static const char *const roles[] = {[ROLE_COMPILE] = "compile",
		[ROLE_LAUNCH] = "launch",
		[ROLE_SOURCE] = "source"};

	json_open_array(o, "params", false);
	for (size_t i = 0; i < k->n_params; i++) {
		const struct param *p = &k->params[i];

		json_open_object(o, NULL);
		json_put_str(o, "name", p->name);
		json_put_c(o, "role", roles[p->role]);
		json_open_array(o, "values", true);
		for (size_t v = 0; v < p->n_values; v++)
			value_put(o, NULL, &p->values[v]);
		json_close_array(o);
		json_close_object(o);
	}
	json_close_array(o);
}
