/* fortran.c - gfortran's functions that read or write variables of their caller: transfers of READ, WRITE and PRINT,
 * and arrays that are packed for a call. Each checks the accesses of callers that were compiled for checking, and calls
 * libgfortran's function. */
#include "fast_path.h"
#include "libc_calls.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Layout of the type in gfortran's array descriptor, since gfortran 8. element: bytes of an element; rank:
 * number of dimensions; type: gfortran's number of the element's type. */
struct type {
    size_t element;
    int version;
    signed char rank, type;
    short attribute;
};
/* Layout of gfortran's array descriptor. base: address of the first element; NULL: not allocated. span: unit of the
 * strides in bytes; 0: the element's size. */
struct descriptor {
    char *base;
    size_t offset;
    struct type type;
    ptrdiff_t span;
    struct {
        ptrdiff_t stride, lower, upper;
    } dim[15];
};

/* Checks the access to each element of an array, or to each contiguous row. write: true for writes.
 * packed_data: contiguous values that will be written; elements or rows that hold these values already are
 * not checked. NULL: everything is checked. Does nothing if the caller is not instrumented or the array is
 * empty or not allocated. */
static void check_array(const struct descriptor *array, bool write, const char *packed_data, struct rt_caller caller)
{
    assert(array->type.rank >= 0 && array->type.rank <= 15);
    ptrdiff_t index[15] = {0}, extent[15] = {0};
    const ptrdiff_t span = array->span ? array->span : (ptrdiff_t)array->type.element;
    if (!rt_is_instrumented_caller(caller) || !array->base)
        return;
    for (int i = 0; i < array->type.rank; i++) {
        extent[i] = array->dim[i].upper - array->dim[i].lower + 1;
        if (extent[i] <= 0)
            return;
    }
    const bool rows = array->type.rank && array->dim[0].stride == 1 && span == (ptrdiff_t)array->type.element;
    const int first = rows ? 1 : 0;
    const size_t n = array->type.element * (rows ? (size_t)extent[0] : 1);
    for (int i = 0; i < array->type.rank || !array->type.rank;) {
        ptrdiff_t at = 0;
        for (i = 0; i < array->type.rank; i++)
            at += index[i] * array->dim[i].stride * span;
        if (!packed_data || memcmp(array->base + at, packed_data, n) != 0)
            rt_check_word_range(array->base + at, n, write, caller);
        packed_data += packed_data ? n : 0;
        for (i = first; i < array->type.rank && ++index[i] == extent[i]; i++)
            index[i] = 0;
        if (i >= array->type.rank)
            return;
    }
}

/* Defines the function by which a READ or WRITE statement transfers a scalar variable at `at`. write: true for READ,
 * which writes the variable. bytes: size of the variable, an expression of `kind`. */
#define VARIABLE(name, write, bytes)                                                                             \
    API void _gfortran_transfer_##name(void *statement, void *at, int kind);                                     \
    void _gfortran_transfer_##name(void *statement, void *at, int kind)                                          \
    {                                                                                                            \
        static void *real;                                                                                       \
        __typeof__(_gfortran_transfer_##name) *call = rt_find_real_function(&real, "_gfortran_transfer_" #name); \
        if (rt_is_instrumented_caller(CALLER))                                                                   \
            rt_check_word_range(at, (size_t)(bytes), write, CALLER);                                             \
        call(statement, at, kind);                                                                               \
    }
/* Defines the function by which a READ or WRITE statement transfers an array. write: true for READ, which writes the
 * array. In the function, `bytes` is the length of elements that are strings. */
#define ARRAY(name, write)                                                                                       \
    API void _gfortran_transfer_##name(void *statement, struct descriptor *array, int kind, long bytes);         \
    void _gfortran_transfer_##name(void *statement, struct descriptor *array, int kind, long bytes)              \
    {                                                                                                            \
        static void *real;                                                                                       \
        __typeof__(_gfortran_transfer_##name) *call = rt_find_real_function(&real, "_gfortran_transfer_" #name); \
        check_array(array, write, NULL, CALLER);                                                                 \
        call(statement, array, kind, bytes);                                                                     \
    }
VARIABLE(integer, true, kind)
VARIABLE(integer_write, false, kind)
VARIABLE(logical, true, kind)
VARIABLE(logical_write, false, kind)
VARIABLE(real, true, kind)
VARIABLE(real_write, false, kind)
VARIABLE(complex, true, 2 * kind)
VARIABLE(complex_write, false, 2 * kind)
VARIABLE(character, true, kind) /* `kind` is the length of the string */
VARIABLE(character_write, false, kind)
ARRAY(array, true)
ARRAY(array_write, false)

/* Returns the contiguous elements of an array: the array itself, or a copy, for which the reads are checked. */
API void *_gfortran_internal_pack(struct descriptor *array);
void *_gfortran_internal_pack(struct descriptor *array)
{
    static void *real;
    __typeof__(_gfortran_internal_pack) *call = rt_find_real_function(&real, "_gfortran_internal_pack");
    void *packed_data = call(array);
    if (packed_data != array->base) /* The address differs if the elements were copied, so that they were read. */
        check_array(array, false, NULL, CALLER);
    return packed_data;
}

/* Copies packed elements back to an array after a call, and checks the writes to elements whose values change. */
API void _gfortran_internal_unpack(struct descriptor *array, const void *packed_data);
void _gfortran_internal_unpack(struct descriptor *array, const void *packed_data)
{
    static void *real;
    __typeof__(_gfortran_internal_unpack) *call = rt_find_real_function(&real, "_gfortran_internal_unpack");
    if (packed_data != array->base)
        check_array(array, true, packed_data, CALLER);
    call(array, packed_data);
}

/* --------------------------------------------------------------------------------- namelists -- */

/* NAMELIST_MOST: most recorded variables of a namelist. DERIVED: gfortran's number of a derived type, whose components
 * follow as variables of their own. */
enum { NAMELIST_MOST = 64, DERIVED = 5 };
/* Variables of the namelist of the READ or WRITE statement `statement` under way; `at` has n descriptors. A
 * WRITE checks them. */
static __thread struct {
    const void *statement;
    unsigned n;
    struct descriptor *at[NAMELIST_MOST];
} namelist;

/* Frees the descriptors of the recorded namelist variables, and empties the list. */
static void end_namelist(void)
{
    while (namelist.n)
        free(namelist.at[--namelist.n]);
}

/* Records a variable of a statement's namelist, with its address `at` and type, and calls libgfortran's function. A
 * variable of a new statement replaces those of the one before. Without memory, or with NAMELIST_MOST variables, it is
 * not recorded. */
API void _gfortran_st_set_nml_var(void *statement, void *at, char *name, int kind, size_t bytes, struct type type);
void _gfortran_st_set_nml_var(void *statement, void *at, char *name, int kind, size_t bytes, struct type type)
{
    static void *real;
    __typeof__(_gfortran_st_set_nml_var) *call = rt_find_real_function(&real, "_gfortran_st_set_nml_var");
    if (statement != namelist.statement)
        end_namelist();
    namelist.statement = statement;
    struct descriptor *variable =
        rt_is_instrumented_caller(CALLER) && namelist.n < NAMELIST_MOST ? calloc(1, sizeof *variable) : NULL;
    if (variable) {
        variable->base = type.type == DERIVED ? NULL : at;
        variable->type = type;
        variable->span = (ptrdiff_t)type.element;
        namelist.at[namelist.n++] = variable;
    }
    call(statement, at, name, kind, bytes, type);
}

/* Records stride and bounds of a dimension of the namelist's last variable, and calls libgfortran's function. */
API void _gfortran_st_set_nml_var_dim(void *statement, int dim, ptrdiff_t stride, ptrdiff_t lower, ptrdiff_t upper);
void _gfortran_st_set_nml_var_dim(void *statement, int dim, ptrdiff_t stride, ptrdiff_t lower, ptrdiff_t upper)
{
    static void *real;
    __typeof__(_gfortran_st_set_nml_var_dim) *call = rt_find_real_function(&real, "_gfortran_st_set_nml_var_dim");
    struct descriptor *variable = namelist.n ? namelist.at[namelist.n - 1] : NULL;
    if (variable && statement == namelist.statement && dim >= 0 && dim < 15) {
        variable->dim[dim].stride = stride;
        variable->dim[dim].lower = lower;
        variable->dim[dim].upper = upper;
    }
    call(statement, dim, stride, lower, upper);
}

/* Begins a WRITE statement: checks the reads of the variables of its namelist. */
API void _gfortran_st_write(void *statement);
void _gfortran_st_write(void *statement)
{
    static void *real;
    __typeof__(_gfortran_st_write) *call = rt_find_real_function(&real, "_gfortran_st_write");
    for (unsigned i = 0; i < namelist.n && statement == namelist.statement; i++)
        check_array(namelist.at[i], false, NULL, CALLER);
    end_namelist();
    call(statement);
}

/* Begins a READ statement: forgets the variables of its namelist, because the writes to them are not checked. */
API void _gfortran_st_read(void *statement);
void _gfortran_st_read(void *statement)
{
    static void *real;
    __typeof__(_gfortran_st_read) *call = rt_find_real_function(&real, "_gfortran_st_read");
    end_namelist();
    call(statement);
}
