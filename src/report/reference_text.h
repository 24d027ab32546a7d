/* What a report says of a library's function beside the champion. */
#ifndef REPORT_REFERENCE_TEXT_H
#define REPORT_REFERENCE_TEXT_H

#include "perf/ranking.h"

/* "reference cublas: 381.2 us, ...; the champion takes 1.08 [1.07, 1.09] times as long",
 * or what became of it; empty when there is none. */
struct str reference_text(struct arena *a, const struct rank_size *s);

#endif
