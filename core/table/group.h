/* group.h - groups: deep structures whose sections are one record instead of one object each. While a group is pending,
 * its sections are no objects, or its pointers no attachments; to expand a group is to make them. group.c explains
 * groups. */
#ifndef ACCD_GROUP_H
#define ACCD_GROUP_H

#include "table/table.h"

/* Group: all sections (targets of pointers) that one large walk reached, made present together; see group.c. */
struct accd__group {
    uint32_t id; /* number of the group: its index in env->groups.at */
    /* pending: true while no objects exist for the sections. pending_attach: true while no attachments exist for the
     * pointers */
    bool pending, pending_attach;
    struct accd_walk *walk;
    /* Device block of the sections; NULL until allocated. The roots (items from which the walk started) are separate
     * objects. */
    struct accd__block *block;
    uint32_t structured, dynamic,
        attached; /* initial reference counters of each object, and attach counter of each attachment, of the group */
    uint64_t low, high;     /* hull of the sections */
    unsigned granule_shift; /* log2 of the bytes that one bit of the bitmap stands for */
    uint64_t *bitmap;
    size_t bitmap_words;
    uint64_t slot_low, slot_high; /* hull of the pointers */
    /* Array of one object for each section, made by the first expansion (sections become objects); NULL before. */
    struct accd__object *objects;
    size_t live; /* number of mapped, non-empty sections whose objects are not removed */
    struct accd__interval
        root; /* entry in groups.roots: host address of the first root, while env->groups lists the group */
    struct accd__interval hull, place; /* entries in groups.hulls and groups.places: host hull and device block, while
                                          the sections are pending */
    struct accd__interval slots;       /* entry in groups.slots: hull of the pointers, while they are pending */
    struct accd__interval pointers_pending; /* entry in groups.pointers_pending, while the pointers are pending but the
                                               sections are not */
    uint64_t descriptor_checksum; /* checksum of the descriptors when they were attached; 0: plain pointers only */
};

/* ----------------------------------------------------------------------------------- group.c -- */

/* Makes the sections and pointers of a group, which has a block, pending, and lists the group in all trees and counts
 * of pending groups. */
void accd__group_set_pending(struct accd__device_env *env, struct accd__group *group);
/* Ends the pending state of the sections (if `sections`), of the pointers (if `pointers`), or of both. Afterwards the
 * caller makes the objects or the attachments. */
void accd__group_clear_pending(struct accd__device_env *env, struct accd__group *group, bool sections, bool pointers);
/* Returns true if [low, high) overlaps a granule that contains bytes of a section; a granule is the memory of one bit
 * of the bitmap, which must exist. The answer may thus be true for bytes near a section. */
bool accd__group_overlaps(const struct accd__group *group, uint64_t low, uint64_t high);
/* Fills the bitmap and the hull of a group. Sets *disjoint_p to true if the group's sections overlap neither each
 * other, nor present objects, nor other groups; otherwise to false. Fails without memory. */
accd_status accd__group_build_bitmap(struct accd__device_env *env, struct accd__group *group, bool *disjoint_p);
/* Sets *group_p to a new group for a walk, which the group retains, and lists the group in env->groups. The group has
 * no block and is not pending; the caller then allocates the block, or frees the group. Fails without memory. */
accd_status accd__group_new(struct accd__device_env *env, struct accd_walk *walk, struct accd__group **group_p);
/* Removes a group from env->groups and frees all its memory on the host, but not its device block. */
void accd__group_free(struct accd__device_env *env, struct accd__group *group);
/* Returns true if attachments of other pointers, or pending pointers of other groups, lie in the hull of the group's
 * pointers. */
bool accd__group_shares_slots(struct accd__device_env *env, const struct accd__group *group);
/* Returns true if segment x of walk a equals segment y of walk b: same field, addresses of pointers and sections. */
bool accd__columns_equal(const struct accd_walk *a, const struct accd__segment *x, const struct accd_walk *b,
                         const struct accd__segment *y);
/* Removes an ended group from env->groups. Keeps its walk and bitmap as groups.retired for an equal construct or, if
 * they are large, frees the group. */
void accd__group_retire(struct accd__device_env *env, struct accd__group *group);
/* Frees groups.retired, if there is one. */
void accd__free_retired_group(struct accd__device_env *env);
/* Returns the checksum of the descriptors that a walk read, as they were at that time; 0: the walk has no descriptors.
 */
uint64_t accd__walk_descriptor_checksum(const struct accd_walk *walk);
/* Returns true if the group has no descriptors, or its host descriptors are unchanged since they were attached. Returns
 * false also if they must not be read, because host memory was freed. */
bool accd__group_descriptors_unchanged(const struct accd__device_env *env, const struct accd__group *group);

/* --------------------------------------------------------------------------------- members.c -- */

/* Expands the pending sections of a group: they become objects of the present table. Fails without memory; the sections
 * then stay pending. */
accd_status accd__group_expand_sections(struct accd__device_env *env, struct accd__group *group);
/* Expands the pending pointers of a group: they become attachments. Fails without memory, or if descriptors cannot be
 * read from the device; the pointers then stay pending. */
accd_status accd__group_expand_pointers(struct accd__device_env *env, struct accd__group *group);
/* Makes an expanded group one pending record again and returns true, if all its objects and attachments are unchanged;
 * true also if the group is pending already. Returns false, and changes nothing, if they have changed, the journal
 * records attachments, or fusion is in use. */
bool accd__group_collapse(struct accd__device_env *env, struct accd__group *group);
/* Returns the group whose sections equal those of a walk, made one pending record again. NULL: the walk has gaps, there
 * is no such group, its descriptors differ, or it cannot be collapsed. */
struct accd__group *accd__find_matching_group(struct accd__device_env *env, const struct accd_walk *walk);

#endif
