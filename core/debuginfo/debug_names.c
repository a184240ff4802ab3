/* debug_names.c - what the program calls a range of its memory: the storage of variables, and the calls that
 * ask. */
#ifdef HAVE_LIBDW
#include "debug_search.h"

/* ----------------------------------------------------------------------------------- storage -- */

/* The storage of a variable. */
static bool name_storage(struct goacc_search *s, const char *variable, struct goacc_type *type,
                         uint64_t at)
{
    struct goacc_name name = {.unit = 0};
    struct goacc_path path = {name.name, 0, ""};
    if (!type || !goacc_contains(s, at, goacc_bytes(&s->view, type, at)))
        return false;
    goacc_add(&path, "%s", variable);
    path.dot = goacc_dot(type);
    if (!goacc_describe(s, &path, type, at, &name))
        return false;
    *s->name_p = name;
    return true;
}

static bool name_local(struct goacc_search *s, struct goacc_site *site)
{
    struct goacc_place place;
    for (size_t i = 0; i < site->variables.n; i++) {
        struct goacc_variable *variable = &site->variables.at[i];
        if (goacc_locate(&s->view, variable, &place) && !place.is_value &&
            name_storage(s, variable->name, goacc_variable_type(s->view.debug, variable), place.at))
            return true;
    }
    return false;
}

/* The global or static variables of the file at an address, and the first of them behind it. */
static const struct goacc_variables *globals_at(struct goacc_debug *debug, uint64_t address, size_t *behind)
{
    static const struct goacc_variables none;
    struct goacc_module *module = goacc_module_at(debug, address);
    const struct goacc_variables *globals = module ? goacc_globals(debug, module) : &none;
    size_t from = 0, to = globals->n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (globals->at[middle].address <= address)
            from = middle + 1;
        else
            to = middle;
    }
    *behind = from;
    return globals;
}

static bool name_global(struct goacc_search *s)
{
    enum { OVERLAPS_MOST = 16 }; /* variables that share storage */
    size_t from;
    const struct goacc_variables *globals = globals_at(s->view.debug, s->address, &from);
    for (size_t i = from; i-- > 0 && from - i <= OVERLAPS_MOST;) {
        struct goacc_variable *variable = &globals->at[i];
        if (name_storage(s, variable->name, goacc_variable_type(s->view.debug, variable),
                         variable->address))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------- calls -- */

static struct goacc_search search_of(struct goacc_debug *debug, const struct goacc_call *call, uint64_t address,
                                     uint64_t bytes, struct goacc_name *name_p)
{
    return (struct goacc_search){.view = {.debug = debug, .call = call},
                                 .address = address,
                                 .bytes = bytes,
                                 .rank = GOACC_NOTHING,
                                 .name_p = name_p};
}

/* The bounds of an array in Fortran. */
static void measure(struct goacc_search *s, struct goacc_name *name)
{
    const struct goacc_type *type = name->type;
    uint64_t extent;
    if (!name->unit || !type || !type->fortran || type->ndims > GOACC_RANK_MOST)
        return;
    for (size_t i = 0; i < type->ndims; i++) {
        if (!goacc_extent(&s->view, type, i, name->object, &extent) || extent > INT64_MAX)
            extent = INT64_MAX; /* the last one of an assumed-size array */
        name->dim[i].lower = goacc_lower(&s->view, type, i, name->object);
        name->dim[i].extent = (int64_t)extent;
    }
    name->rank = (int)type->ndims;
}

static bool found(struct goacc_search *s)
{
    struct goacc_site *site = s->view.debug ? goacc_site_at(s->view.debug, s->view.call->pc) : NULL;
    s->view.site = site;
    if (!site || !s->address || s->address + s->bytes < s->address)
        return false;
    if (!name_local(s, site) && !name_global(s) && !(site->has_unit && goacc_reach(s, site)))
        return false;
    measure(s, s->name_p);
    s->name_p->fortran = s->name_p->type && s->name_p->type->fortran;
    return true;
}

int goacc_debug_name(struct goacc_debug *debug, const struct goacc_call *call, uint64_t address,
                     uint64_t bytes, struct goacc_name *name_p)
{
    struct goacc_search s = search_of(debug, call, address, bytes, name_p);
    return found(&s);
}

int goacc_debug_element(struct goacc_debug *debug, const struct goacc_call *call, uint64_t address, uint64_t bytes,
                        int64_t at, struct goacc_name *name_p, struct goacc_name *element_p)
{
    struct goacc_search s = search_of(debug, call, address, bytes, name_p);
    element_p->name[0] = 0;
    if (!found(&s))
        return 0;
    struct goacc_path path = {element_p->name, 0, name_p->type ? goacc_dot(name_p->type) : ""};
    goacc_add(&path, "%s", name_p->name);
    if (!name_p->type || !goacc_descend(&s, &path, name_p, address + (uint64_t)at, element_p))
        element_p->name[0] = 0;
    return 1;
}

int goacc_debug_is_padding(struct goacc_debug *debug, const struct goacc_call *call, uint64_t address, uint64_t bytes,
                           uint64_t at)
{
    struct goacc_name name = {.unit = 0}, element = {.unit = 0};
    struct goacc_search s = search_of(debug, call, address, bytes, &name);
    if (!found(&s) || !name.type)
        return 0;
    struct goacc_path path = {element.name, 0, goacc_dot(name.type)};
    element.type = name.type;
    element.object = name.data;
    goacc_descend(&s, &path, &name, address + at, &element);
    return element.type && goacc_type_has_gap(debug, element.type, address + at - element.object);
}

uint64_t goacc_debug_pointee(struct goacc_debug *debug, uint64_t address)
{
    size_t i;
    const struct goacc_variables *globals = globals_at(debug, address, &i);
    while (i-- > 0 && globals->at[i].address == address) {
        struct goacc_type *type = goacc_variable_type(debug, &globals->at[i]), *target = NULL;
        if (type && type->kind == GOACC_POINTER && type->fortran)
            target = goacc_target(debug, type);
        if (target && target->bytes)
            return target->bytes;
    }
    return 0;
}

#endif
