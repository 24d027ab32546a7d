/*
 * Labels and ids of many candidates, one after the other: the same texts as
 * candidate_label() and candidate_id() make, of which only what changed is written anew.
 */
#ifndef MODEL_CANDIDATE_TEXT_H
#define MODEL_CANDIDATE_TEXT_H

#include "model/candidate.h"

struct candidate_text;

enum candidate_form { CANDIDATE_LABEL, CANDIDATE_ID };

struct candidate_text *candidate_text_new(
	struct arena *a, const struct kernel *k, enum candidate_form form);
/* CANDIDATE_LABEL: the label, until the next call. Parameters before `changed` have the
 * values of the call before; 0 promises nothing. */
struct str candidate_text_label(
	struct candidate_text *t, const uint16_t *choice, unsigned changed);
/* CANDIDATE_ID: the number whose 16 hex digits are the id. */
uint64_t candidate_text_id(
	struct candidate_text *t, const uint16_t *choice, unsigned changed);

#endif
