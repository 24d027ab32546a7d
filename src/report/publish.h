/*
 * A report in the formats that CI services read.  All of it is decided by issue.h and
 * escaped by escape.h; paths are relative to the root of the repository.
 */
#ifndef REPORT_PUBLISH_H
#define REPORT_PUBLISH_H

#include "report/issue.h"

/* SARIF 2.1.0, for code scanning: a result an issue. */
struct str publish_sarif(struct arena *a, const struct publication *p);
/* JUnit XML as GitLab and Jenkins read it: a suite a problem, a case a candidate, so that
 * they show what is refused that was not before. */
struct str publish_junit(struct arena *a, const struct publication *p);
/* A summary of the choices and of every issue; cut below 1 MiB, which is what a job
 * summary may have. */
struct str publish_markdown(struct arena *a, const struct publication *p);
/* Workflow commands of GitHub Actions: an annotation an issue, at most 10 of a level,
 * which is what the service shows. */
struct str publish_github(struct arena *a, const struct publication *p);

#endif
