#include "cmd/publishing.h"

#include "base/arena.h"
#include "base/die.h"
#include "base/fs.h"
#include "report/publish.h"
#include "report/sarif.h"

#include <stdlib.h>

static const char *const names[] = {
	"text", "json", "sarif", "junit", "markdown", "github"};

bool
format_find(struct str name, enum format *out)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_is(name, names[i])) {
			*out = (enum format)i;
			return true;
		}
	return false;
}

const char *
publish_root(struct arena *a, const char *given)
{
	const char *here = fs_cwd(a);

	if (given && !fs_is_dir(given))
		die("'--root %s' is no folder", given);
	if (given)
		return fs_normal(a, fs_join(a, here, given));
	for (const char *dir = here; strcmp(dir, "/") != 0; dir = fs_dirname(a, dir))
		if (fs_exists(fs_join(a, dir, ".git")))
			return dir;
	return here;
}

struct str
publish(struct arena *a, enum format f, const struct publication *p, size_t top)
{
	switch (f) {
	case FORMAT_TEXT: return report_text(a, p->report, top);
	case FORMAT_JSON: return report_json(a, p->report);
	case FORMAT_SARIF: return publish_sarif(a, p);
	case FORMAT_JUNIT: return publish_junit(a, p);
	case FORMAT_MARKDOWN: return publish_markdown(a, p);
	case FORMAT_GITHUB: return publish_github(a, p);
	}
	BUG("format %d", (int)f);
}

bool
publish_may_replace(struct arena *a, const char *path)
{
	static const char *const begins[] = {
		"device     ",
		"{\n  \"schema\": \"lanewise/report.v1\"",
		"{\n  \"$schema\": \"" SARIF_SCHEMA "\"",
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "
		"name=\"lanewise\"",
		"## lanewise: ",
		"::error file=",
		"::warning file=",
		"::notice file=",
	};
	struct str text;

	if (!fs_is_file(path) || !fs_try_read(a, path, &text) || !text.n)
		return true;
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (str_starts(text, begins[i]))
			return true;
	return false;
}

void
publish_summary(struct arena *a, const struct publication *p)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");

	if (path && *path && !fs_try_append(path, publish_markdown(a, p)))
		warn("cannot add to '%s', which GITHUB_STEP_SUMMARY names: %s", path,
			fs_reason());
}
