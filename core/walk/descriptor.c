/* descriptor.c - Fortran descriptors as compilers lay them out: their size, their dimensions, the type record. A
 * descriptor is an address of data, a header, dimensions, and for Flang perhaps an addendum, which points to the type
 * record: the description of a derived type. */
#include "accdeep_memory.h"
#include "walk/inside.h"

/* Offsets of the parts of a descriptor, for each layout. */
static const struct layout {
    uint32_t header, dimension; /* bytes before the first dimension; bytes of one dimension */
    uint32_t element;           /* offset of the size of an element */
    uint32_t rank;              /* offset of the byte with the rank */
    uint32_t extra; /* offset of the byte whose lowest bit tells if there is an addendum; 0: the layout has none */
} layouts[] = {
    [ACCD_DESCRIPTOR_CFI] = {24, 24, 8, 20, 0},
    [ACCD_DESCRIPTOR_FLANG] = {24, 24, 8, 20, 23},
    [ACCD_DESCRIPTOR_GFORTRAN] = {40, 24, 16, 28, 0},
};

enum { ADDENDUM = 16 /* bytes of an addendum: pointer to the type record, and one word */ };

/* Returns the number of bytes from the beginning of a descriptor to the end of its dimensions. The descriptor must be
 * readable. */
static uint32_t bytes_without_addendum(const accd_context *context, const unsigned char *descriptor)
{
    const struct layout *layout = &layouts[context->config.descriptors];
    return layout->header + layout->dimension * descriptor[layout->rank];
}

/* Returns true if the context's layout has addenda and this descriptor has one. The descriptor must be readable. */
static bool has_addendum(const accd_context *context, const unsigned char *descriptor)
{
    const struct layout *layout = &layouts[context->config.descriptors];
    return layout->extra && descriptor[layout->extra] & 1;
}

/* Returns the bytes of a readable descriptor with its addendum; 0 for a rank above 15, or if an argument is NULL.
 * Decides FLANG-cfi-1. */
uint32_t accd_descriptor_bytes(const accd_context *context, const void *descriptor)
{
    const unsigned char *bytes = descriptor;
    if (!context || !bytes || bytes[layouts[context->config.descriptors].rank] > ACCD_MAX_RANK)
        return 0;
    return bytes_without_addendum(context, bytes) + (has_addendum(context, bytes) ? ADDENDUM : 0);
}

/* Reads element size, rank, counts and steps of a descriptor in the context's layout into *shape. `rest` points to the
 * descriptor's second word, after its address of data. Returns false if the rank is too large, the dimensions do not
 * fit into the descriptor's `bytes` bytes, or a count or step is not representable. */
bool accd__read_array_shape(const accd_context *context, const char *rest, uint32_t bytes,
                            struct accd__array_shape *shape)
{
    const struct layout *layout = &layouts[context->config.descriptors];
    const bool gfortran = context->config.descriptors == ACCD_DESCRIPTOR_GFORTRAN;
    const char *descriptor = rest - sizeof(void *);
    int64_t word[3], span;
    if (bytes < layout->header)
        return false;
    shape->rank = (unsigned char)descriptor[layout->rank];
    if (shape->rank > ACCD_MAX_RANK || bytes < layout->header + shape->rank * layout->dimension)
        return false;
    memcpy(&shape->element, descriptor + layout->element, sizeof shape->element);
    memcpy(&span, descriptor + layout->header - sizeof span,
           sizeof span); /* bytes that one unit of a stride stands for; used only for gfortran */
    for (unsigned i = 0; i < shape->rank; i++) {
        memcpy(word, descriptor + layout->header + i * layout->dimension, sizeof word);
        /* words of one dimension: lower bound, extent, stride in bytes; gfortran: stride in units of `span`, lower and
         * upper bound */
        if (gfortran ? __builtin_sub_overflow(word[2], word[1] - 1, &shape->count[i]) ||
                           __builtin_mul_overflow(word[0], span, &shape->step[i])
                     : (shape->count[i] = word[1], shape->step[i] = word[2], false))
            return false;
    }
    return true;
}

/* Returns the host address of the descriptor's pointer to its type record; 0: the descriptor has no addendum. */
uint64_t accd__descriptor_type_slot(const accd_context *context, const void *descriptor)
{
    return has_addendum(context, descriptor) ? accd__address(descriptor) + bytes_without_addendum(context, descriptor)
                                             : 0;
}

/* Returns the size that the first word of the type record at `record` gives; 1 if that word may not be read. */
uint64_t accd__type_record_bytes(accd_context *context, uint64_t record)
{
    uint64_t bytes = 1;
    if (accd__is_host_accessible(context, record, sizeof bytes))
        memcpy(&bytes, accd__pointer(record), sizeof bytes);
    return bytes;
}
