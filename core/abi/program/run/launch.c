/* launch.c - kernels, and the structured regions of a thread. */
#include "abi/program/base/arena.h"
#include "abi/program/check/check.h"
#include "abi/program/data/image.h"
#include "abi/program/strict/changed.h"

#include <stdlib.h>

struct goacc_level *goacc_push_level(struct goacc_thread *self, int parent)
{
    if (self->nlevels == self->levels_room) {
        size_t room = self->levels_room ? 2 * self->levels_room : 16;
        struct goacc_level *grown = goacc_open_memory(NULL, self->levels, self->levels_room * sizeof *grown,
                                                      room * sizeof *grown);
        if (!grown)
            goacc_die("out-of-memory", "no memory for a data region");
        self->levels = grown;
        self->levels_room = room;
    }
    struct goacc_level *level = &self->levels[self->nlevels++];
    *level = (struct goacc_level){.pc = goacc.site->call.pc, .parent = parent};
    return level;
}

void goacc_pop_level(struct goacc_thread *self)
{
    if (!self->nlevels)
        goacc_die("region-nesting", "a data region ends, but this thread has none open");
    accd_region *region = self->levels[self->nlevels - 1].region;
    if (region)
        goacc_end_region(self, region);
    self->nlevels--;
}

/* The first declared variables may have been found since the call was entered: then it is entered
 * once more, in the order in which the two locks are taken. */
void goacc_hold_back(const struct goacc_site *site)
{
    while (goacc.declares && !(goacc_own.held & 1)) {
        goacc_leave();
        goacc_enter(site);
    }
}

void goacc_launch(const struct goacc_site *site, int device, struct goacc_kernel *kernel)
{
    struct goacc_thread *self = goacc_self();
    const enum goacc_look look = self->look;
    kernel->construct = goacc_construct(site);
    goacc_hold_back(site);
    const bool alone = goacc.declares;
    if (alone)
        goacc_alone(true);
    goacc_declared_swap(self);
    if (goacc.options.left && look != GOACC_PASSED)
        goacc_changed_before(device);
    if (goacc.options.strict) {
        goacc_strict_open_devices();
        goacc_leave();
        self->look = look;
        goacc_strict_run(site, device, kernel);
    } else {
        goacc_leave();
        goacc_begin_kernel(self, kernel->construct);
        if (goacc.options.check)
            goacc_check_enter(site, device);
        kernel->fn(kernel->args);
        if (goacc.options.check)
            goacc_check_leave();
        self->does = GOACC_ASKS;
    }
    goacc_enter(site);
    goacc_declared_swap(self);
    if (alone)
        goacc_alone(false);
    self->look = look;
    if (goacc.options.left && look != GOACC_PASSED)
        goacc_changed_after(device);
    if (goacc.options.left)
        goacc_strict_ran(device);
    if (goacc.options.strict) {
        goacc_races_ran(self);
        if (look != GOACC_PASSED && (goacc.declares || goacc_image_has_variables()))
            goacc_stale_declared(device, kernel);
        goacc_stale_leave(self, true);
        goacc_strict_close_devices(look);
    }
}
