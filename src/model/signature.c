#include "model/signature.h"

#include "base/arena.h"
#include "base/buf.h"

struct str
signature_text(struct arena *a, const struct kernel *k)
{
	struct buf b = {.a = a};

	for (size_t i = 0; i < k->n_args; i++)
		buf_addf(&b, "%s%s%s", i ? "," : "", dtype_name(k->args[i].type),
			k->args[i].pointer ? "*" : "");
	return buf_str(&b);
}

/* As gcc and clang spell them without a header; NULL: C has none. */
static const char *
c_type(enum dtype t)
{
	switch (t) {
	case DTYPE_F64: return "double";
	case DTYPE_F32:
	case DTYPE_TF32: return "float";
	case DTYPE_I8: return "__INT8_TYPE__";
	case DTYPE_I16: return "__INT16_TYPE__";
	case DTYPE_I32: return "__INT32_TYPE__";
	case DTYPE_I64: return "__INT64_TYPE__";
	case DTYPE_U8: return "__UINT8_TYPE__";
	case DTYPE_U16: return "__UINT16_TYPE__";
	case DTYPE_U32: return "__UINT32_TYPE__";
	case DTYPE_U64: return "__UINT64_TYPE__";
	case DTYPE_F16:
	case DTYPE_BF16:
	case DTYPE_E4M3:
	case DTYPE_E5M2:
	case N_DTYPES: break;
	}
	return NULL;
}

static bool
add_argument(struct buf *b, struct str word, size_t i, struct str *why)
{
	bool pointer = str_ends(word, "*");
	struct str name = str_sub(word, 0, word.n - pointer);
	enum dtype t;

	if (!dtype_find(name, &t)) {
		*why = str_fmt(b->a, "malformed signature at '%.*s'", STR_ARG(word));
		return false;
	}
	const char *c = c_type(t);
	if (!c && !pointer) {
		*why = str_fmt(b->a,
			"C has no type for a scalar of type %s: pass it as f32, or in a "
			"buffer",
			dtype_name(t));
		return false;
	}
	/* What C has no type for may be declared as anything that has the size. */
	if (pointer)
		buf_addf(b, "%s\t\t\t(%s *)lanewise_args[%zu]", i ? ",\n" : "",
			c ? c : "void", i);
	else
		buf_addf(b, "%s\t\t\t*(const %s *)lanewise_args[%zu]", i ? ",\n" : "", c,
			i);
	return true;
}

/* Through a pointer that the compiler cannot see through: as a program calls a function
 * of a library, whatever could be done about these arguments.  It has the function's name
 * again, which is what the compiler then says. */
bool
signature_call(struct arena *a, struct str signature, struct str entry, struct str *text,
	struct str *why)
{
	struct buf b = {.a = a};
	struct str rest = signature, word;
	size_t n = 0;

	if (!str_is_identifier(entry)) {
		*why = str_fmt(a, "'%.*s'%s", STR_ARG(entry), SIGNATURE_NO_NAME);
		return false;
	}
	buf_addf(&b,
		"__attribute__((visibility(\"default\"), used)) void " HOST_SYMBOL
		"(void *const *lanewise_args)\n{\n"
		"\t__typeof__(&%.*s) volatile lanewise_kernel = &%.*s;\n"
		"\t(void)lanewise_args;\n"
		"\t{\n"
		"\t\t__typeof__(lanewise_kernel) %.*s = lanewise_kernel;\n"
		"\t\t%.*s(\n",
		STR_ARG(entry), STR_ARG(entry), STR_ARG(entry), STR_ARG(entry));
	while (str_split(&rest, ',', &word))
		if (!add_argument(&b, word, n++, why))
			return false;
	buf_adds(&b, ");\n\t}\n}\n");
	*text = buf_str(&b);
	return true;
}
