/* code_references.c - decides whether a kernel may use a declared variable that no clause names. It may if its code, or
 * the code of a function that it calls, contains the variable's address. Called with the lock held.
 *
 * The code is not decoded. Any four bytes count as a use if they are the variable's address, or its distance from the
 * instruction's end. The starts of functions are known from .eh_frame_hdr, the sorted table of stack unwinders:
 *
 *      table:  version | encodings | ... | n at byte 8 | rows at byte 12: (function, unwind data) relative to the table
 */
#include "lib/segments.h"
#include "code_references.h"

#include <assert.h>
#include <string.h>

/* DEPTH: most levels of nested calls that are searched; CACHED: number of results that the cache holds */
enum { DEPTH = 8, CACHED = 256 };
/* Version of .eh_frame_hdr, and encoding of its rows: DW_EH_PE_datarel | DW_EH_PE_sdata4. Other tables are not read. */
static const unsigned char version = 1, of_table = 0x3b;

/* Module (program or library) that contains `code_address`: its load address `base` and its program headers `parts`. */
struct code {
    uint64_t code_address, base;
    const ElfW(Phdr) * parts;
    size_t nparts;
    const char *table; /* .eh_frame_hdr, the table of functions; NULL: the module has none */
};

/* Returns the module's loaded segment that contains all of the `bytes` bytes at `address`; NULL: none does. */
static const ElfW(Phdr) * find_segment(const struct code *code, uint64_t address, uint64_t bytes)
{
    return rt_find_segment(code->parts, code->nparts, code->base, address, bytes, 0);
}

/* Callback of dl_iterate_phdr: fills in the struct code *ud if the module contains its code_address. Returns 1 then,
 * which stops the iteration, otherwise 0. */
static int find_code(struct dl_phdr_info *info, size_t size, void *ud)
{
    struct code *code = ud;
    (void)size;
    code->base = info->dlpi_addr;
    code->parts = info->dlpi_phdr;
    code->nparts = info->dlpi_phnum;
    if (!find_segment(code, code->code_address, 1))
        return 0;
    for (size_t i = 0; i < code->nparts; i++)
        if (code->parts[i].p_type == PT_GNU_EH_FRAME)
            code->table = (const char *)(uintptr_t)(code->base + code->parts[i].p_vaddr);
    return 1;
}

/* Returns the signed 32-bit integer at an unaligned address. */
static int32_t load_int32(const void *at)
{
    int32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Returns the end of the function that begins at `start`: the start of the next function in the table, or, for the last
 * one, the end of its segment. 0: no function begins at `start`, or the table is missing or of another form. */
static uint64_t find_function_end(const struct code *code, uint64_t start)
{
    const unsigned char *head = (const unsigned char *)code->table;
    if (!head || head[0] != version || head[3] != of_table)
        return 0;
    const uint64_t at = (uintptr_t)code->table;
    const char *rows = code->table + 12;
    size_t low = 0, n = (uint32_t)load_int32(code->table + 8), high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (at + (uint64_t)(int64_t)load_int32(rows + 8 * middle) < start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == n || at + (uint64_t)(int64_t)load_int32(rows + 8 * low) != start)
        return 0;
    const ElfW(Phdr) *segment = low + 1 == n ? find_segment(code, start, 1) : NULL;
    if (low + 1 == n)
        return segment ? code->base + segment->p_vaddr + segment->p_memsz : 0;
    return at + (uint64_t)(int64_t)load_int32(rows + 8 * (low + 1));
}

/* Returns true if the instruction that contains the four bytes at `distance` may have an immediate operand after them.
 * The instruction then ends later, and the distance is relative to its end. before: number of bytes of the function
 * before `distance`. */
static bool may_have_immediate(const unsigned char *distance, uint64_t before)
{
    static const unsigned char opcodes[] = {0x69, 0x6b, 0x70, 0x71, 0x72, 0x73, 0x80, 0x81, 0x83, 0xa4, 0xac,
                                            0xba, 0xc0, 0xc1, 0xc2, 0xc4, 0xc5, 0xc6, 0xc7, 0xf6, 0xf7};
    enum { MAP = 0x3a, VEX = 0xc4, EVEX = 0x62, MAPS = 7, THIRD = 3 };
    if (before < 2 || memchr(opcodes, distance[-2], sizeof opcodes))
        return true;
    return (before > 2 && distance[-3] == MAP) ||
           (before > 4 && distance[-5] == VEX && (distance[-4] & MAPS) == THIRD) ||
           (before > 5 && distance[-6] == EVEX && (distance[-5] & MAPS) == THIRD);
}

/* Returns true if the function at `fn` may use an address in the range of `bytes` bytes at `start`. It may use the
 * address directly, by a table of addresses, or through calls up to `depth` levels deep. False if the table knows no
 * function that begins at `fn`. */
static bool references_range(const struct code *code, uint64_t fn, uint64_t start, uint64_t bytes, int depth)
{
    assert(depth >= 0 && depth <= DEPTH);
    enum { CALL = 0xe8, JUMP = 0xe9, LEA = 0x8d, RELATIVE = 0x05, REGISTER = 0x38 };
    const uint64_t end = find_function_end(code, fn);
    for (uint64_t at = fn; at + sizeof(int32_t) <= end; at++) {
        const int32_t word = load_int32((const void *)(uintptr_t)at);
        const uint64_t target = at + sizeof word + (uint64_t)(int64_t)word;
        if ((uint32_t)word - start < bytes)
            return true;
        const unsigned char *before = (const unsigned char *)(uintptr_t)at;
        for (int immediate_bytes = 0; immediate_bytes <= 4 && (!immediate_bytes || may_have_immediate(before, at - fn));
             immediate_bytes++)
            if (immediate_bytes != 3 && target + (uint64_t)immediate_bytes - start < bytes)
                return true;
        uint64_t value;
        /* The code may load the address from a table of addresses, at this distance. */
        if (target % sizeof value == 0 && find_segment(code, target, sizeof value)) {
            memcpy(&value, (const void *)(uintptr_t)target, sizeof value);
            if (value - start < bytes)
                return true;
        }
        const bool calls = at > fn && (before[-1] == CALL || before[-1] == JUMP);
        /* A parallel region's function is called by the OpenMP library, which gets its address; LEA loads it. */
        const bool passes = at > fn + 1 && before[-2] == LEA && (before[-1] & ~REGISTER) == RELATIVE;
        if ((calls || passes) && depth && target != fn && find_function_end(code, target) &&
            references_range(code, target, start, bytes, depth - 1))
            return true;
    }
    return false;
}

/* Returns true if the code of `fn` may use an address in the range of `bytes` bytes at `start`. Results are cached. */
bool rt_code_references(const void *fn, uint64_t start, uint64_t bytes)
{
    assert(fn);
    static struct {
        const void *fn;
        uint64_t start, bytes;
        bool has_reference;
    } cache[CACHED], *entry;
    struct code code = {.code_address = (uintptr_t)fn};
    entry = &cache[((uintptr_t)fn / 16 + start / 16) % CACHED];
    if (entry->fn == fn && entry->start == start && entry->bytes == bytes)
        return entry->has_reference;
    const bool has_reference =
        dl_iterate_phdr(find_code, &code) && references_range(&code, code.code_address, start, bytes, DEPTH);
    entry->fn = fn;
    entry->start = start;
    entry->bytes = bytes;
    return entry->has_reference = has_reference;
}
