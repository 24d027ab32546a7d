#include "worker/task.h"

#include "worker/peer.h"

#include <stdio.h>
#include <stdlib.h>

struct task *
task_make(struct str line, struct arena *scratch, struct str *why)
{
	struct arena a = {0};
	struct task *t = arena_new(&a, struct task);
	char *said = NULL;
	size_t n_said = 0;
	FILE *to = open_memstream(&said, &n_said);
	struct diag d = {.to = to, .limit = 1};
	struct source *src = arena_new(&a, struct source);

	if (!to)
		die("out of memory");
	t->question = str_dup(&a, line);
	t->text = json_get_str(message_parse(&a, line), "ask");
	*src = (struct source){"job", t->text};
	t->job = job_read(&a, json_parse(&a, src, &d), &d);
	fclose(to);
	*why = str_dup(scratch, str_trim((struct str){said, n_said}));
	why->n = str_find(*why, '\n');
	free(said);
	t->a = a;
	if (t->job)
		return t;
	task_free(t);
	return NULL;
}

void
task_free(struct task *t)
{
	struct arena a = t->a; /* the task is in it, too */

	arena_release(&a);
}

void
task_append(struct task_list *l, struct task *t)
{
	struct task **at = &l->first;

	while (*at)
		at = &(*at)->next;
	t->next = NULL;
	*at = t;
	l->n++;
}

void
task_prepend(struct task_list *l, struct task *t)
{
	t->next = l->first;
	l->first = t;
	l->n++;
}

void
task_remove(struct task_list *l, struct task *t)
{
	struct task **at = &l->first;

	while (*at && *at != t)
		at = &(*at)->next;
	if (!*at)
		BUG("a task that is not in the list");
	*at = t->next;
	t->next = NULL;
	l->n--;
}

struct task *
task_find(const struct task_list *l, struct str question)
{
	for (struct task *t = l->first; t; t = t->next)
		if (!t->client && str_eq(t->question, question))
			return t;
	return NULL;
}

struct str
task_name(struct arena *a, const struct task *t)
{
	const struct job *j = t->job;

	if (j->kind == JOB_FINAL)
		return str_fmt(a, "%.*s@%.*s: final of %zu", STR_ARG(j->kernel),
			STR_ARG(j->size), j->n);
	return str_fmt(a, "%.*s %.*s", STR_ARG(j->kernel), STR_ARG(j->member[0].point));
}
