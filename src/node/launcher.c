#include "node/launcher.h"

#include "base/arena.h"
#include "base/die.h"
#include "base/fs.h"
#include "base/proc.h"
#include "format/json.h"

#include <stdlib.h>

bool
launcher_find(
	struct arena *a, const char *file, const struct node *n, struct launcher *out)
{
	struct diag d = {0};
	if (!file || !(n->measured || n->hermetic) || !fs_exists(file))
		return false;
	const struct json *v = json_parse_file(a, file, &d);
	if (!v || v->kind != JSON_OBJECT)
		die("'%s' is damaged; run 'lanewise graph'", file);
	struct str command =
		json_get_str(v, n->measured ? "device_launcher" : "launcher");
	out->command = str_c(a, command);
	out->program = str_c(a, json_get_str(v, "program"));
	return command.n > 0;
}

static void
put_path(struct buf *b, const char *path)
{
	buf_addf(b, "%s%s", b->n ? "\n" : "", path);
}

static void
tell_files(const struct node_call *c, const char *entry)
{
	struct buf in = {.a = c->a};
	for (size_t i = 0; c->node->words[i].name; i++)
		for (size_t k = 0; c->file[i] && k < c->n[i]; k++)
			if (c->file[i][k].present)
				put_path(&in, c->file[i][k].path);
	if (c->words_file)
		put_path(&in, c->words_file);
	setenv("LANEWISE_NODE", c->node->name, 1);
	setenv("LANEWISE_INPUTS", buf_c(&in), 1);
	setenv("LANEWISE_OUTPUTS", entry, 1);
}

static const char *const *
command_line(struct arena *a, const struct launcher *l, const char *entry,
	const char *const *words, size_t n)
{
	const char **v = arena_news(a, n + 9, const char *);
	size_t at = 0;
	v[at++] = "sh";
	v[at++] = "-c";
	v[at++] = str_fmt(a, "exec %s \"$@\"", l->command).s;
	v[at++] = "lanewise";
	v[at++] = l->program;
	v[at++] = "node";
	v[at++] = "--entry";
	v[at++] = entry;
	for (size_t i = 0; i < n; i++)
		v[at++] = words[i];
	return v;
}

/* True when it is the entry of this very call. */
static bool
take_entry(const struct node_call *c, const char *entry, struct str key,
	struct store_part **parts, size_t *n)
{
	struct str text;
	bool ok = fs_try_read(c->a, entry, &text) &&
		  store_entry_parse(c->a, text, key, parts, n) && *n > 0;
	fs_remove(entry);
	return ok;
}

bool
launcher_run(const struct node_call *c, const struct launcher *l,
	const char *const *words, size_t n_words, struct str key,
	struct store_part **parts, size_t *n)
{
	const char *entry = str_fmt(c->a, "%s.launched", c->main_out).s;
	fs_remove(entry);
	tell_files(c, entry);
	struct proc_result r =
		proc_run(c->a, command_line(c->a, l, entry, words, n_words),
			(struct proc_opts){.pass_through = true, .in_group = true});
	bool ok = take_entry(c, entry, key, parts, n);
	if (!r.started || r.status != 0)
		warn("%s '%s': the launcher '%s' ended with %s", c->node->name,
			c->main_out, l->command, proc_explain(c->a, &r));
	else if (!ok)
		warn("%s '%s': the launcher '%s' ended well, but brought no result of "
		     "this node",
			c->node->name, c->main_out, l->command);
	return ok && r.started && r.status == 0;
}
