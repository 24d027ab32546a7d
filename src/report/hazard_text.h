/* Hazards and their witnesses as text. */
#ifndef REPORT_HAZARD_TEXT_H
#define REPORT_HAZARD_TEXT_H

#include "base/buf.h"
#include "report/hazard.h"

/* The lane map of a witness; nothing when there is none. */
void witness_text(struct buf *b, const struct witness *w, size_t indent);
/* Rule, place, excerpt, witness and candidates. */
void hazard_text(struct buf *b, const struct hazard *h);

#endif
