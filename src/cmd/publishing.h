/* What `report` and `ci` share: the formats by name, and where their paths begin. */
#ifndef CMD_PUBLISHING_H
#define CMD_PUBLISHING_H

#include "report/issue.h"

#define FORMAT_NAMES "text|json|sarif|junit|markdown|github"

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_SARIF,
	FORMAT_JUNIT,
	FORMAT_MARKDOWN,
	FORMAT_GITHUB
};

bool format_find(struct str name, enum format *out);

/* Absolute: the folder that is given, or the nearest one here or above with .git in it,
 * or the current one. */
const char *publish_root(struct arena *a, const char *given);

/* top: candidates of a ranking in the text. */
struct str publish(
	struct arena *a, enum format f, const struct publication *p, size_t top);

/* False when a file is there that begins as none of the formats: it is not of ours. */
bool publish_may_replace(struct arena *a, const char *path);

/* Adds the summary to the file that GITHUB_STEP_SUMMARY names; nothing when it names
 * none, a warning when that fails. */
void publish_summary(struct arena *a, const struct publication *p);

#endif
