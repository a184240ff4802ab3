/* group.h - deep structures that are one record each: groups of sections that a walk found. */
#ifndef ACCD_GROUP_H
#define ACCD_GROUP_H

#include "table/table.h"

/* All sections of one large walk, made present together. While pending it is one record: the columns
 * of the walk, one pair of counters, one attachment counter, a bit map of the memory it covers. The
 * first look-up that overlaps the map turns the sections into objects (accd__group_expand_sections), the first
 * one among its pointers turns those into attachments (accd__group_expand_pointers). A construct that names
 * all of them gathers them again (accd__group_collapse). */
struct accd__group {
    uint32_t id;
    bool pending, pending_attach;
    struct accd_walk *walk;
    struct accd__block *block; /* of its sections; the roots are objects of their own */
    uint32_t structured, dynamic, attached;
    uint64_t low, high;     /* hull of the sections */
    unsigned granule_shift; /* one bit stands for 1 << granule bytes */
    uint64_t *bitmap;
    size_t bitmap_words;
    uint64_t slot_low, slot_high;           /* hull of the pointers */
    struct accd__object *objects;           /* one for each section, once indexed; NULL before */
    size_t live;                            /* objects that are present */
    struct accd__interval root;             /* address of the first element, while the directory knows the group */
    struct accd__interval hull, place;      /* of the sections, on the host and the device, while they are pending */
    struct accd__interval slots;            /* of the pointers, while these are */
    struct accd__interval pointers_pending; /* while only the pointers are */
    uint64_t descriptor_checksum;           /* what its descriptors held when they were attached, as a number */
};

/* ----------------------------------------------------------------------------------- group.c -- */

/* No look-up asks for sections and pointers of a group one by one from now on; or one does. */
void accd__group_set_pending(struct accd__device_env *env, struct accd__group *group);
void accd__group_clear_pending(struct accd__device_env *env, struct accd__group *group, bool sections, bool pointers);
bool accd__group_overlaps(const struct accd__group *group, uint64_t low, uint64_t high);
/* Whether all sections lie apart from each other; if so the group's bit map and hulls are filled. */
accd_status accd__group_build_bitmap(struct accd__device_env *env, struct accd__group *group, bool *disjoint_p);
accd_status accd__group_new(struct accd__device_env *env, struct accd_walk *walk, struct accd__group **group_p);
void accd__group_free(struct accd__device_env *env, struct accd__group *group);
/* Other attachments, of objects or groups, lie among the pointers of the group. */
bool accd__group_shares_slots(struct accd__device_env *env, const struct accd__group *group);
bool accd__columns_equal(const struct accd_walk *a, const struct accd__segment *x, const struct accd_walk *b,
                         const struct accd__segment *y);
/* The group died: it is freed, but for what the same construct would compute again. */
void accd__group_retire(struct accd__device_env *env, struct accd__group *group);
void accd__free_retired_group(struct accd__device_env *env);
/* What the descriptors of a walk held, as a number; 0: it has none. */
uint64_t accd__walk_descriptor_checksum(const struct accd_walk *walk);
/* Whether the descriptors of a group are on the host as they were attached, as far as it may be read. */
bool accd__group_descriptors_unchanged(const struct accd__device_env *env, const struct accd__group *group);

/* --------------------------------------------------------------------------------- members.c -- */

/* Sections become objects, pointers become attachments. */
accd_status accd__group_expand_sections(struct accd__device_env *env, struct accd__group *group);
accd_status accd__group_expand_pointers(struct accd__device_env *env, struct accd__group *group);
/* Makes a group that was looked into one record again, if all its objects and attachments are what it says. */
bool accd__group_collapse(struct accd__device_env *env, struct accd__group *group);
/* The group that a walk names section for section, gathered if it can be, or NULL. */
struct accd__group *accd__find_matching_group(struct accd__device_env *env, const struct accd_walk *walk);

#endif
