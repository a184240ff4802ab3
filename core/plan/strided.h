/* strided.h - sections with gaps, and the descriptors that lead to them. */
#ifndef ACCD_GAPS_H
#define ACCD_GAPS_H

#include "accdeep_core.h"

#include <stdbool.h>

struct accd_plan;
struct accd_claim;
struct accd_walk;
struct accd_segment;


/* Elements of a section with gaps: runs of bytes at equal distances, the last dimension varies fastest. */
struct accd_grid {
    uint64_t host, run;
    unsigned n;
    accd_dim dim[ACCD_RANK_MOST];
};
struct accd_gaps {
    uint32_t item;
    struct accd_grid grid;
};

/* Items of a construct that have any. */
accd_status accd_plan_gaps(struct accd_plan *plan);
void accd_item_grid(const accd_item *item, struct accd_grid *grid);
/* The addresses of elements of so many bytes, and how many there are. */
uint64_t accd_grid_rows(const struct accd_grid *grid, uint64_t unit);
void accd_grid_addresses(const struct accd_grid *grid, uint64_t unit, uint64_t *to);
/* Offset of the next run behind the one at index; false behind the last one. */
bool accd_grid_next(const struct accd_grid *grid, uint64_t *index, uint64_t *offset);
/* Whether the elements of an item lie in it, and not over one another. */
bool accd_item_grid_fits(const accd_item *item);
/* The elements of a descriptor, if they are just those from host on in so many bytes, with gaps. base: its
 * address; rest: what lies behind that. */
bool accd_descriptor_grid(const accd_context *context, uint64_t base, const char *rest, uint32_t slot_bytes,
                          uint64_t host, uint64_t bytes, struct accd_grid *grid);
/* The address of a descriptor's pointer to the type record, or 0. */
uint64_t accd_descriptor_type_slot(const accd_context *context, const void *descriptor);
/* Whether a claim has gaps, and its elements; their moves. */
bool accd_claim_grid(const struct accd_plan *plan, const struct accd_claim *claim,
                     struct accd_grid *grid);
accd_status accd_plan_grid(struct accd_plan *plan, uint32_t claim, const struct accd_grid *grid,
                           bool out);
/* Those of a walk, while its descriptors can be read: of a section; whether there are any in a column. */
bool accd_section_grid(const struct accd_walk *walk, const struct accd_segment *segment, size_t row,
                       struct accd_grid *grid);
bool accd_segment_gaps(const struct accd_walk *walk, const struct accd_segment *segment);

/* The dimensions of a descriptor, of which rest lies behind its address. False: there is no
 * descriptor in so many bytes. */
struct accd_shape {
    uint64_t element;
    unsigned rank;
    int64_t count[ACCD_RANK_MOST], step[ACCD_RANK_MOST];
};
bool accd_descriptor_shape(const accd_context *context, const char *rest, uint32_t bytes,
                           struct accd_shape *shape);

#endif
