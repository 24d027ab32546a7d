/* Parameters and their values as JSON, for the files and programs that read a space. */
#ifndef MODEL_PARAM_JSON_H
#define MODEL_PARAM_JSON_H

#include "format/json.h"
#include "model/spec.h"

void value_put(struct json_out *o, const char *key, const struct value *v);
/* "params": [{"name", "role": "compile" | "launch" | "source", "values": [...]}] */
void params_put(struct json_out *o, const struct kernel *k);

#endif
