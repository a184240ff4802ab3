/* group.h - groups: deep structures that are one record each. group.c explains them. */
#ifndef ACCD_GROUP_H
#define ACCD_GROUP_H

#include "table/table.h"

/* Group: all sections of one large walk, made present together; see group.c. */
struct accd__group {
    uint32_t id;
    bool pending, pending_attach;
    struct accd_walk *walk;
    struct accd__block *block; /* block of its sections; the roots are objects of their own */
    uint32_t structured, dynamic, attached;
    uint64_t low, high;     /* hull of the sections */
    unsigned granule_shift; /* log2 of the bytes that one bit of the bitmap stands for */
    uint64_t *bitmap;
    size_t bitmap_words;
    uint64_t slot_low, slot_high;           /* hull of the pointers */
    struct accd__object *objects;           /* array of one object for each section, after an expansion; NULL before */
    size_t live;                            /* number of objects that are present */
    struct accd__interval root;             /* address of the first element, while the group is registered */
    struct accd__interval hull, place;      /* host and device hulls of the sections, while they are pending */
    struct accd__interval slots;            /* hull of the pointers, while they are pending */
    struct accd__interval pointers_pending; /* listed while only the pointers are pending */
    uint64_t descriptor_checksum;           /* checksum of its descriptors when they were attached; 0: none */
};

/* ----------------------------------------------------------------------------------- group.c -- */

/* Marks sections and pointers as pending (set), or no longer pending (clear), in all indices of groups. */
void accd__group_set_pending(struct accd__device_env *env, struct accd__group *group);
void accd__group_clear_pending(struct accd__device_env *env, struct accd__group *group, bool sections, bool pointers);
/* Returns true if [low, high) overlaps a granule with a section of the group. */
bool accd__group_overlaps(const struct accd__group *group, uint64_t low, uint64_t high);
/* Fills the bitmap and the hull of a group. *disjoint_p: true if its sections overlap neither each other, nor present
 * objects, nor other groups. */
accd_status accd__group_build_bitmap(struct accd__device_env *env, struct accd__group *group, bool *disjoint_p);
accd_status accd__group_new(struct accd__device_env *env, struct accd_walk *walk, struct accd__group **group_p);
void accd__group_free(struct accd__device_env *env, struct accd__group *group);
/* Returns true if other attachments, of objects or groups, lie between the pointers of the group. */
bool accd__group_shares_slots(struct accd__device_env *env, const struct accd__group *group);
bool accd__columns_equal(const struct accd_walk *a, const struct accd__segment *x, const struct accd_walk *b,
                         const struct accd__segment *y);
/* Frees an ended group, except what the same construct would compute again. */
void accd__group_retire(struct accd__device_env *env, struct accd__group *group);
void accd__free_retired_group(struct accd__device_env *env);
/* Returns the checksum of the descriptors of a walk; 0: it has none. */
uint64_t accd__walk_descriptor_checksum(const struct accd_walk *walk);
/* Returns true if the descriptors of a group are on the host as they were attached. False if they must not be read. */
bool accd__group_descriptors_unchanged(const struct accd__device_env *env, const struct accd__group *group);

/* --------------------------------------------------------------------------------- members.c -- */

/* Expands a group: its sections become objects, its pointers attachments. Fails without memory. */
accd_status accd__group_expand_sections(struct accd__device_env *env, struct accd__group *group);
accd_status accd__group_expand_pointers(struct accd__device_env *env, struct accd__group *group);
/* Makes an expanded group one record again, if all its objects and attachments are unchanged. Returns true on success.
 */
bool accd__group_collapse(struct accd__device_env *env, struct accd__group *group);
/* Returns the group whose sections equal those of a walk, collapsed; NULL if there is none, or it cannot be collapsed.
 */
struct accd__group *accd__find_matching_group(struct accd__device_env *env, const struct accd_walk *walk);

#endif
