/* source.c - compares layouts: which bytes of an object its clause excluded, and which excluded bytes a request needs.
 */
#include "table/inside.h"
#include "table/name.h"
#include "source.h"

/* Returns how many of the bytes before `offset`, in an array of elements of `stride` bytes, belong to `member` of an
 * element. */
static uint64_t member_bytes_before(const accd_member *member, uint64_t stride, uint64_t offset)
{
    assert(stride > 0);
    uint64_t remainder = offset % stride;
    remainder = remainder > member->offset ? remainder - member->offset : 0;
    return offset / stride * member->bytes + (remainder < member->bytes ? remainder : member->bytes);
}

/* Returns how many of the bytes [from, to) of an array of elements are excluded by `layout`: the mapping program of the
 * element type, with its excluded members. */
static uint64_t count_excluded_bytes(const accd_program *layout, uint64_t from, uint64_t to)
{
    const accd_program_spec *spec = &layout->spec;
    uint64_t n = 0;
    for (size_t i = 0; i < spec->nexcluded; i++)
        n += member_bytes_before(&spec->excluded[i], spec->stride, to) -
             member_bytes_before(&spec->excluded[i], spec->stride, from);
    return n;
}

/* Sets [*low_p, *high_p) to the range of part `i` of an element: excluded members are numbered first, then pieces.
 * Returns true if a clause with the program `own` does not request this part of present data: the part is excluded, or
 * is the base pointer of a section. */
static bool get_unrequested_part(const accd_program *own, size_t i, uint64_t *low_p, uint64_t *high_p)
{
    const accd_program_spec *spec = &own->spec;
    const accd_piece *piece = i < spec->nexcluded ? NULL : &spec->pieces[i - spec->nexcluded];
    *low_p = piece ? piece->offset : spec->excluded[i].offset;
    *high_p = *low_p + (piece ? piece->bytes : spec->excluded[i].bytes);
    return !piece || piece->base_pointer;
}

/* Returns whether `layout`, of an object, includes all, some or none of the bytes [from, to) that a clause with the
 * layout `own` requests. `object_offset`: offset of the object in the clause's elements. */
enum accd__containment accd__compare_layouts(const accd_program *layout, uint64_t from, uint64_t to,
                                             const accd_program *own, uint64_t object_offset)
{
    assert(layout);
    uint64_t absent = count_excluded_bytes(layout, from, to), bytes = to - from;
    if (!absent || (own == layout && (from - object_offset) % layout->spec.stride == 0))
        return ACCD_RANGE_CONTAINED;
    for (uint64_t at = from; own && at < to + object_offset;
         at += own->spec.stride) /* subtracts the bytes that the clause does not request, element by element */
        for (size_t i = 0; i < own->spec.nexcluded + own->spec.npieces; i++) {
            /* offsets are compared with `object_offset` added, because an offset before the object would be negative */
            uint64_t low, high;
            if (!get_unrequested_part(own, i, &low, &high))
                continue;
            low = at + low > from + object_offset ? at + low : from + object_offset;
            high = at + high < to + object_offset ? at + high : to + object_offset;
            if (low >= high)
                continue;
            absent -= count_excluded_bytes(layout, low - object_offset, high - object_offset);
            bytes -= high - low;
        }
    return !absent ? ACCD_RANGE_CONTAINED : absent == bytes ? ACCD_RANGE_DISJOINT : ACCD_RANGE_PARTIAL;
}

/* Returns how much of a range of an object is present: all of it unless the object's layout excludes bytes. */
enum accd__containment accd__compare_with_object(struct accd__device_env *env, const struct accd__object *object,
                                                 uint64_t host, uint64_t bytes)
{
    const accd_program *layout = accd__object_layout(env, object);
    uint64_t from = host - object->host;
    if (!layout || !layout->spec.nexcluded)
        return ACCD_RANGE_CONTAINED;
    return accd__compare_layouts(layout, from, from + bytes, NULL, 0);
}
