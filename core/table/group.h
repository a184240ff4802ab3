/* group.h - groups: deep structures whose sections are one record instead of one object each. While a group is pending,
 * its sections are no objects, or its pointers no attachments; to expand a group is to make them. group.c explains
 * groups. */
#ifndef ACCD_GROUP_H
#define ACCD_GROUP_H

#include "table/table.h"

/* Group: all sections of one large walk, made present together; see group.c. */
struct accd__group {
    uint32_t id; /* number of the group: its index in env->groups.at */
    /* true while the sections are no objects; true while the pointers are no attachments */
    bool pending, pending_attach;
    struct accd_walk *walk;
    /* Device block of the sections; NULL until allocated. The roots are objects of their own. */
    struct accd__block *block;
    uint32_t structured, dynamic, attached; /* counters that every object, and every attachment, of the group has */
    uint64_t low, high;                     /* hull of the sections */
    unsigned granule_shift;                 /* log2 of the bytes that one bit of the bitmap stands for */
    uint64_t *bitmap;
    size_t bitmap_words;
    uint64_t slot_low, slot_high; /* hull of the pointers */
    /* Array of one object for each section, after an expansion; NULL before the first one. */
    struct accd__object *objects;
    size_t live;                /* number of mapped, non-empty sections whose objects are not removed */
    struct accd__interval root; /* entry in groups.roots: address of the first root, while the group is registered */
    struct accd__interval hull, place; /* entries in groups.hulls and groups.places: host hull and device block, while
                                          the sections are pending */
    struct accd__interval slots;       /* entry in groups.slots: hull of the pointers, while they are pending */
    struct accd__interval pointers_pending; /* entry in groups.pointers_pending, while the pointers are pending and the
                                               sections are not */
    uint64_t descriptor_checksum; /* checksum of the descriptors when they were attached; 0: plain pointers only */
};

/* ----------------------------------------------------------------------------------- group.c -- */

/* Makes the sections and pointers of a group, which has a block, pending, and lists the group in all trees and counts
 * of pending groups. */
void accd__group_set_pending(struct accd__device_env *env, struct accd__group *group);
/* Ends the pending state of the sections (if `sections`), of the pointers (if `pointers`), or of both. The caller makes
 * the objects or attachments. */
void accd__group_clear_pending(struct accd__device_env *env, struct accd__group *group, bool sections, bool pointers);
/* Returns true if [low, high) overlaps a granule (the bytes of one bit of the bitmap) with a section of the group.
 * Requires the bitmap. */
bool accd__group_overlaps(const struct accd__group *group, uint64_t low, uint64_t high);
/* Fills the bitmap and the hull of a group. Sets *disjoint_p to true if the group's sections overlap neither each
 * other, nor present objects, nor other groups; otherwise to false. Fails without memory. */
accd_status accd__group_build_bitmap(struct accd__device_env *env, struct accd__group *group, bool *disjoint_p);
/* Sets *group_p to a new registered group for a walk, which the group retains. The group has no block and is not
 * pending; the caller allocates its block, or frees the group. Fails without memory. */
accd_status accd__group_new(struct accd__device_env *env, struct accd_walk *walk, struct accd__group **group_p);
/* Unregisters a group and frees all its memory on the host, but not its device block. */
void accd__group_free(struct accd__device_env *env, struct accd__group *group);
/* Returns true if attachments of other pointers, or pending pointers of other groups, lie in the hull of the group's
 * pointers. */
bool accd__group_shares_slots(struct accd__device_env *env, const struct accd__group *group);
/* Returns true if segments x of walk a, and y of walk b, have the same fields, pointers and sections. */
bool accd__columns_equal(const struct accd_walk *a, const struct accd__segment *x, const struct accd_walk *b,
                         const struct accd__segment *y);
/* Unregisters an ended group, and keeps its walk and bitmap as groups.retired for an equal construct, unless they are
 * large; then frees the group. */
void accd__group_retire(struct accd__device_env *env, struct accd__group *group);
/* Frees groups.retired, if there is one. */
void accd__free_retired_group(struct accd__device_env *env);
/* Returns the checksum of the descriptors of a walk, as they were when it was made; 0: the walk has no descriptors. */
uint64_t accd__walk_descriptor_checksum(const struct accd_walk *walk);
/* Returns true if the host descriptors of a group are unchanged since they were attached, or it has none. Returns false
 * also if they must not be read, because host memory was freed. */
bool accd__group_descriptors_unchanged(const struct accd__device_env *env, const struct accd__group *group);

/* --------------------------------------------------------------------------------- members.c -- */

/* Expands the pending sections of a group: they become objects. Fails without memory, and then changes nothing. */
accd_status accd__group_expand_sections(struct accd__device_env *env, struct accd__group *group);
/* Expands the pending pointers of a group: they become attachments. Fails without memory, or if the device cannot be
 * read; the pointers then stay pending. */
accd_status accd__group_expand_pointers(struct accd__device_env *env, struct accd__group *group);
/* Makes an expanded group one pending record again and returns true, if all its objects and attachments are unchanged;
 * true also if the group is pending already. Otherwise returns false, and changes nothing. */
bool accd__group_collapse(struct accd__device_env *env, struct accd__group *group);
/* Returns the group whose sections equal those of a walk, after collapsing it; NULL if there is none, its descriptors
 * differ, or it cannot be collapsed. */
struct accd__group *accd__find_matching_group(struct accd__device_env *env, const struct accd_walk *walk);

#endif
