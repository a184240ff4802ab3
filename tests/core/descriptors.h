/* descriptors.h - what the tests of Fortran descriptors share: contexts, items, and what a device holds of a
 * descriptor. */
#ifndef ACCD_TEST_DESCRIPTORS_H
#define ACCD_TEST_DESCRIPTORS_H

#include "support.h"

#include <ops/ops.h>

#include <ops/ops.h>

struct holder {
    int64_t n;
    cfi2 p; /* next to each other */
    cfi1 q;
    int64_t m;
};

static float t1[4], t2[4], line[16];
static struct holder d;
static struct story story;

static inline accd_context *open_as(struct meter *meter, const char *profile, size_t least,
                                    accd_descriptor_layout layout, bool reverse)
{
    static accd_rules rules;
    accd_context_config config;
    init_config(&config);
    *meter = (struct meter){0};
    rules = *accd_find_rules(profile);
    rules.update = reverse ? ACCD_UPDATE_METHOD_REVERSE : ACCD_UPDATE_METHOD_SPLIT;
    config.alloc = meter_alloc;
    config.alloc_ud = meter;
    config.group_least = least;
    config.threads = 1;
    config.devices = 2;
    config.device_bytes = (uint64_t)64 << 20;
    config.rules = &rules;
    config.descriptors = layout;
    story_clear(&story);
    config.on_event = tell_story;
    config.event_ud = &story;
    accd_context *context = NULL;
    if (accd_context_new(&context, &config) != ACCD_OK) {
        printf("Bail out! no context\n");
        exit(1);
    }
    return context;
}

static inline void reset(void)
{
    for (int i = 0; i < 16; i++)
        line[i] = (float)i;
    for (int i = 0; i < 4; i++) {
        t1[i] = (float)(10 + i);
        t2[i] = (float)(20 + i);
    }
    d = (struct holder){.n = 1, .m = 2};
    point(&d.p, 2, NULL, 1, 0);
    point(&d.q, 1, NULL, 1, 0);
}

static inline accd_context *new_descriptor_context(struct meter *meter, const char *profile)
{
    reset();
    return open_as(meter, profile, 64, ACCD_DESCRIPTOR_CFI, false);
}

static inline void free_descriptor_context(accd_context *context, struct meter *meter)
{
    is_sound(context);
    accd_context_free(context);
    is_number(meter->live + meter->blocks + meter->wrong, 0, "all memory is given back");
}

static inline accd_item section(uint8_t action, const void *host, uint64_t bytes, const void *slot, uint32_t slot_bytes)
{
    return (accd_item){.host = host, .bytes = bytes, .slot = slot, .slot_bytes = slot_bytes, .action = action};
}
static inline accd_item pointer(uint8_t action, const void *slot, uint32_t slot_bytes)
{
    return section(action, NULL, 0, slot, slot_bytes);
}
#define THROUGH(what, host, p) section(what, host, sizeof(host), &(p), sizeof(p))
#define POINTER(what, p) pointer(what, &(p), sizeof(p))
#define ONE(object, what) BYTES(what, &(object), sizeof(object))

/* The device's copy of a descriptor is the host's, with another address in it. */
static inline bool has_descriptor_copy(accd_context *context, int device, const void *descriptor, size_t bytes,
                                       uint64_t base)
{
    char host[512], dev[512];
    memcpy(host, descriptor, bytes);
    memcpy(host, &base, sizeof base);
    return accd_device_read(context, device, accd_device_address(context, device, descriptor), dev, bytes) == ACCD_OK &&
           !memcmp(host, dev, bytes);
}
static inline bool leads(accd_context *context, const void *descriptor, size_t bytes, const void *target)
{
    return has_descriptor_copy(context, 0, descriptor, bytes, accd_device_address(context, 0, target));
}
static inline bool as_host(accd_context *context, const void *descriptor, size_t bytes)
{
    return has_descriptor_copy(context, 0, descriptor, bytes, accd__load_pointer(accd__address(descriptor)));
}

static inline accd_status attach(accd_context *context, const void *descriptor, uint64_t size)
{
    return accd_attach_descriptor(context, 0, descriptor, accd__pointer(accd__load_pointer(accd__address(descriptor))),
                                  0, size, "f.f90", 7);
}
static inline accd_status detach(accd_context *context, const void *descriptor, int finalize)
{
    return accd_detach_descriptor(context, 0, descriptor, finalize, "f.f90", 8);
}

static inline uint64_t get_moved_bytes(accd_context *context)
{
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    return stats.moved_bytes[0] + stats.moved_bytes[1] + stats.moved_bytes[2];
}

static const char *const documents[] = {"tr14", "openacc-3.3", "directory"};

#endif
