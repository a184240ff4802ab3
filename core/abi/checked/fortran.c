/* fortran.c - gfortran's functions that read or write variables of their caller: transfers of READ,
 * WRITE and PRINT, arrays that are packed for a call. */
#include "access.h"
#include "calls.h"

#include <stddef.h>
#include <string.h>

/* The layout of gfortran's own descriptor, since its version 8. */
struct descriptor {
    char *base;
    size_t offset;
    size_t element;
    int version;
    signed char rank, type;
    short attribute;
    ptrdiff_t span;
    struct {
        ptrdiff_t stride, lower, upper;
    } dim[15];
};

/* Each element of an array, or each row without gaps. packed: the values that are written, one behind the other; where
 * they are there already, nothing is. NULL: they are not known. */
static void check_array(const struct descriptor *array, bool write, const char *packed, struct goacc_caller caller)
{
    ptrdiff_t index[15] = {0}, extent[15] = {0};
    const ptrdiff_t span = array->span ? array->span : (ptrdiff_t)array->element;
    if (!goacc_is_checked(caller) || !array->base)
        return;
    for (int i = 0; i < array->rank; i++) {
        extent[i] = array->dim[i].upper - array->dim[i].lower + 1;
        if (extent[i] <= 0)
            return;
    }
    const bool rows = array->rank && array->dim[0].stride == 1 && span == (ptrdiff_t)array->element;
    const int first = rows ? 1 : 0;
    const size_t n = array->element * (rows ? (size_t)extent[0] : 1);
    for (int i = 0; i < array->rank || !array->rank;) {
        ptrdiff_t at = 0;
        for (i = 0; i < array->rank; i++)
            at += index[i] * array->dim[i].stride * span;
        if (!packed || memcmp(array->base + at, packed, n) != 0)
            goacc_check_words(array->base + at, n, write, caller);
        packed += packed ? n : 0;
        for (i = first; i < array->rank && ++index[i] == extent[i]; i++)
            index[i] = 0;
        if (i >= array->rank)
            return;
    }
}

/* A variable of so many bytes of the kind. */
#define VARIABLE(name, write, bytes)                                         \
    API void _gfortran_transfer_##name(void *statement, void *at, int kind); \
    void _gfortran_transfer_##name(void *statement, void *at, int kind)      \
    {                                                                        \
        static void *real;                                                   \
        __typeof__(_gfortran_transfer_##name) *call =                        \
            goacc_real(&real, "_gfortran_transfer_" #name);                  \
        if (goacc_is_checked(CALLER))                                        \
            goacc_check_words(at, (size_t)(bytes), write, CALLER);           \
        call(statement, at, kind);                                           \
    }
/* An array; its characters have so many bytes. */
#define ARRAY(name, write)                                                                  \
    API void _gfortran_transfer_##name(void *statement, struct descriptor *array, int kind, \
                                       long bytes);                                         \
    void _gfortran_transfer_##name(void *statement, struct descriptor *array, int kind,     \
                                   long bytes)                                              \
    {                                                                                       \
        static void *real;                                                                  \
        __typeof__(_gfortran_transfer_##name) *call =                                       \
            goacc_real(&real, "_gfortran_transfer_" #name);                                 \
        check_array(array, write, NULL, CALLER);                                                  \
        call(statement, array, kind, bytes);                                                \
    }
VARIABLE(integer, true, kind)
VARIABLE(integer_write, false, kind)
VARIABLE(logical, true, kind)
VARIABLE(logical_write, false, kind)
VARIABLE(real, true, kind)
VARIABLE(real_write, false, kind)
VARIABLE(complex, true, 2 * kind)
VARIABLE(complex_write, false, 2 * kind)
VARIABLE(character, true, kind) /* its length */
VARIABLE(character_write, false, kind)
ARRAY(array, true)
ARRAY(array_write, false)

API void *_gfortran_internal_pack(struct descriptor *array);
void *_gfortran_internal_pack(struct descriptor *array)
{
    static void *real;
    __typeof__(_gfortran_internal_pack) *call = goacc_real(&real, "_gfortran_internal_pack");
    void *packed = call(array);
    if (packed != array->base) /* a copy */
        check_array(array, false, NULL, CALLER);
    return packed;
}

API void _gfortran_internal_unpack(struct descriptor *array, const void *packed);
void _gfortran_internal_unpack(struct descriptor *array, const void *packed)
{
    static void *real;
    __typeof__(_gfortran_internal_unpack) *call = goacc_real(&real, "_gfortran_internal_unpack");
    if (packed != array->base)
        check_array(array, true, packed, CALLER);
    call(array, packed);
}
