/* group.h - deep structures that are one record each: groups of sections that a walk found. */
#ifndef ACCD_GROUP_H
#define ACCD_GROUP_H

#include "table/table.h"

/* All sections of one large walk, made present together. While pending it is one record: the columns
 * of the walk, one pair of counters, one attachment counter, a bit map of the memory it covers. The
 * first look-up that overlaps the map turns the sections into objects (accd_group_index), the first
 * one among its pointers turns those into attachments (accd_group_attachments). A construct that names
 * all of them gathers them again (accd_group_gather). */
struct accd_group {
    uint32_t id;
    bool pending, pending_attach;
    struct accd_walk *walk;
    struct accd_block *block;      /* of its sections; the roots are objects of their own */
    uint32_t structured, dynamic, attached;
    uint64_t low, high;            /* hull of the sections */
    unsigned granule;              /* one bit stands for 1 << granule bytes */
    uint64_t *map;
    size_t map_words;
    uint64_t slot_low, slot_high;  /* hull of the pointers */
    struct accd_object *objects;   /* one for each section, once indexed; NULL before */
    size_t live;                   /* objects that are present */
    struct accd_span root;         /* address of the first element, while the directory knows the group */
    struct accd_span hull, place;  /* of the sections, on the host and the device, while they are pending */
    struct accd_span slots;        /* of the pointers, while these are */
    struct accd_span woken;        /* while only the pointers are */
    uint64_t descriptor_sum;       /* what its descriptors held when they were attached, as a number */
};

/* ----------------------------------------------------------------------------------- group.c -- */

/* No look-up asks for sections and pointers of a group one by one from now on; or one does. */
void accd_group_wait(struct accd_directory *dir, struct accd_group *group);
void accd_group_wake(struct accd_directory *dir, struct accd_group *group, bool sections, bool pointers);
bool accd_group_meets(const struct accd_group *group, uint64_t low, uint64_t high);
/* Whether all sections lie apart from each other; if so the group's bit map and hulls are filled. */
accd_status accd_group_map(struct accd_directory *dir, struct accd_group *group, bool *apart_p);
accd_status accd_group_new(struct accd_directory *dir, struct accd_walk *walk, struct accd_group **group_p);
void accd_group_free(struct accd_directory *dir, struct accd_group *group);
/* Other attachments, of objects or groups, lie among the pointers of the group. */
bool accd_group_slots_shared(struct accd_directory *dir, const struct accd_group *group);
bool accd_same_columns(const struct accd_walk *a, const struct accd_segment *x,
                       const struct accd_walk *b, const struct accd_segment *y);
/* The group died: it is freed, but for what the same construct would compute again. */
void accd_group_retire(struct accd_directory *dir, struct accd_group *group);
void accd_forget_retired(struct accd_directory *dir);
/* What the descriptors of a walk held, as a number; 0: it has none. */
uint64_t accd_walk_descriptor_sum(const struct accd_walk *walk);
/* Whether the descriptors of a group are on the host as they were attached, as far as it may be read. */
bool accd_group_descriptors_kept(const struct accd_directory *dir, const struct accd_group *group);

/* --------------------------------------------------------------------------------- members.c -- */

/* Sections become objects, pointers become attachments. */
accd_status accd_group_index(struct accd_directory *dir, struct accd_group *group);
accd_status accd_group_attachments(struct accd_directory *dir, struct accd_group *group);
/* Makes a group that was looked into one record again, if all its objects and attachments are what it says. */
bool accd_group_gather(struct accd_directory *dir, struct accd_group *group);
/* The group that a walk names section for section, gathered if it can be, or NULL. */
struct accd_group *accd_group_matching(struct accd_directory *dir, const struct accd_walk *walk);

#endif
