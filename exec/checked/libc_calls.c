/* libc_calls.c - functions of the C library that read or write memory of their caller. Each function defined
 * by FUNCTION checks these accesses if the caller was compiled for checking. It calls the C library's
 * function of the same name, and returns that function's result. */
#include "fast_path.h"
#include "libc_calls.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ----------------------------------------------------------------------------------- callers -- */

/* Address ranges of the instrumented modules: the program and libraries, as far as they were compiled for
 * checking. Calls from modules beyond the first MODULES are not checked. */
enum { MODULES = 64 };
static struct {
    uintptr_t low, high;
} modules[MODULES];
static unsigned nmodules;

/* Returns true if one of the relocations of a module, `bytes` bytes at `at`, names the symbol `name`. symbols, text:
 * the module's tables of symbols and of their names. */
static bool has_relocation(const ElfW(Rela) * at, size_t bytes, const ElfW(Sym) * symbols, const char *text,
                           const char *name)
{
    for (size_t i = 0; i < bytes / sizeof *at; i++)
        if (!strcmp(text + symbols[ELF64_R_SYM(at[i].r_info)].st_name, name))
            return true;
    return false;
}

/* Returns true if the module `info`, whose dynamic section begins at `entry`, was compiled for checking: its
 * relocations name __tsan_init, which such code calls. */
static bool is_instrumented_module(const struct dl_phdr_info *info, const ElfW(Dyn) * entry)
{
    uintptr_t tables[DT_JMPREL + 1] = {0};
    for (; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag >= 0 && entry->d_tag <= DT_JMPREL)
            tables[entry->d_tag] = entry->d_un.d_ptr;
    const ElfW(Sym) *symbols = (const void *)tables[DT_SYMTAB];
    const char *text = (const char *)tables[DT_STRTAB], *name = "__tsan_init";
    /* the vdso has addresses relative to its start, which must not be read; it is not instrumented */
    if (!symbols || !text || tables[DT_SYMTAB] < info->dlpi_addr)
        return false;
    return has_relocation((const void *)tables[DT_JMPREL], tables[DT_JMPREL] ? tables[DT_PLTRELSZ] : 0, symbols, text,
                          name) ||
           has_relocation((const void *)tables[DT_RELA], tables[DT_RELA] ? tables[DT_RELASZ] : 0, symbols, text, name);
}

static bool is_in_module(uintptr_t pc);

/* Callback of dl_iterate_phdr: adds a module to `modules` if the module calls __tsan_init and is not there yet; does
 * nothing if `modules` is full. Returns 0, so that the iteration continues. The return address of __tsan_init would not
 * identify the module, because its call may be a jump. */
static int add_module(struct dl_phdr_info *info, size_t bytes, void *ud)
{
    const ElfW(Dyn) *dynamic = NULL;
    uintptr_t low = UINTPTR_MAX, high = 0;
    (void)bytes, (void)ud;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_DYNAMIC)
            dynamic = (const void *)start;
        if (part->p_type != PT_LOAD)
            continue;
        low = start < low ? start : low;
        high = start + part->p_memsz > high ? start + part->p_memsz : high;
    }
    if (nmodules < MODULES && dynamic && !is_in_module(low) && is_instrumented_module(info, dynamic)) {
        modules[nmodules].low = low;
        modules[nmodules].high = high;
        __atomic_store_n(&nmodules, nmodules + 1, __ATOMIC_RELEASE);
    }
    return 0;
}

/* Returns true if `pc` lies in an instrumented module. */
static bool is_in_module(uintptr_t pc)
{
    for (unsigned i = 0, n = __atomic_load_n(&nmodules, __ATOMIC_ACQUIRE); i < n; i++)
        if (pc - modules[i].low < modules[i].high - modules[i].low)
            return true;
    return false;
}

/* Returns true if the return address of `caller` lies in an instrumented module, and the runtime is present. */
bool rt_is_instrumented_caller(struct rt_caller caller)
{
    return local_shadow.shadow_pages && is_in_module(caller.pc);
}

/* Callback of dl_iterate_phdr: sets *ud to the number of modules that were ever loaded, and returns 1 to stop. */
static int count_modules(struct dl_phdr_info *info, size_t bytes, void *ud)
{
    (void)bytes;
    *(unsigned long long *)ud = info->dlpi_adds;
    return 1;
}

/* The compiler calls this function at the start of each instrumented object file. Adds modules that were loaded since
 * the last call. */
API void __tsan_init(void);
void __tsan_init(void)
{
    static unsigned long long previous_count;
    unsigned long long module_count = 0;
    dl_iterate_phdr(count_modules, &module_count);
    if (module_count != previous_count)
        dl_iterate_phdr(add_module, NULL);
    previous_count = module_count;
}

/* Returns the function `name` of the next library that defines it, and caches it in *cached; NULL if no other
 * library has the function. */
void *rt_find_real_function(void **cached, const char *name)
{
    if (!*cached)
        *cached = dlsym(RTLD_NEXT, name);
    return *cached;
}

/* Checks an access of n bytes at `at` word by word, by the slow path. Does not test whether the caller is
 * instrumented. */
void rt_check_word_range(const void *at, size_t n, bool write, struct rt_caller caller)
{
    rt_check_words_slow_path((uintptr_t)at, n, write ? RT_ACCESS_WRITE : RT_ACCESS_READ, caller.pc, caller.frame);
}

/* ------------------------------------------------------------------------------------ memory -- */

FUNCTION(void *, memcpy, (void *to, const void *from, size_t n))
{
    rt_check_read(from, n, CALLER);
    rt_check_write(to, n, CALLER);
    return REAL(memcpy)(to, from, n);
}

FUNCTION(void *, mempcpy, (void *to, const void *from, size_t n))
{
    rt_check_read(from, n, CALLER);
    rt_check_write(to, n, CALLER);
    return REAL(mempcpy)(to, from, n);
}

FUNCTION(void *, memmove, (void *to, const void *from, size_t n))
{
    rt_check_read(from, n, CALLER);
    rt_check_write(to, n, CALLER);
    return REAL(memmove)(to, from, n);
}

FUNCTION(void *, memset, (void *to, int byte, size_t n))
{
    rt_check_write(to, n, CALLER);
    return REAL(memset)(to, byte, n);
}

FUNCTION(int, memcmp, (const void *a, const void *b, size_t n))
{
    size_t same = 0;
    if (rt_is_instrumented_caller(CALLER)) {
        while (same < n && ((const char *)a)[same] == ((const char *)b)[same])
            same++;
        rt_check_read(a, rt_min_size(same + 1, n), CALLER);
        rt_check_read(b, rt_min_size(same + 1, n), CALLER);
    }
    return REAL(memcmp)(a, b, n);
}

FUNCTION(void, qsort, (void *at, size_t n, size_t element_size, int (*compare)(const void *, const void *)))
{
    rt_check_read(at, n * element_size, CALLER);
    rt_check_write(at, n * element_size, CALLER);
    REAL(qsort)(at, n, element_size, compare);
}

/* ----------------------------------------------------------------------------------- strings -- */

FUNCTION(size_t, strlen, (const char *text))
{
    const size_t n = REAL(strlen)(text);
    rt_check_read(text, n + 1, CALLER);
    return n;
}

FUNCTION(char *, strcpy, (char *to, const char *from))
{
    const size_t n = rt_count_string_bytes(from, SIZE_MAX);
    rt_check_read(from, n, CALLER);
    rt_check_write(to, n, CALLER);
    return REAL(strcpy)(to, from);
}

FUNCTION(char *, stpcpy, (char *to, const char *from))
{
    const size_t n = rt_count_string_bytes(from, SIZE_MAX);
    rt_check_read(from, n, CALLER);
    rt_check_write(to, n, CALLER);
    return REAL(stpcpy)(to, from);
}

FUNCTION(char *, strncpy, (char *to, const char *from, size_t n))
{
    rt_check_read(from, rt_count_string_bytes(from, n), CALLER);
    rt_check_write(to, n, CALLER);
    return REAL(strncpy)(to, from, n);
}

FUNCTION(char *, strcat, (char *to, const char *from))
{
    const size_t before = rt_count_string_bytes(to, SIZE_MAX), n = rt_count_string_bytes(from, SIZE_MAX);
    rt_check_read(to, before, CALLER);
    rt_check_read(from, n, CALLER);
    rt_check_write(to + before - 1, n, CALLER);
    return REAL(strcat)(to, from);
}

/* Checks the reads of strcmp and strncmp: both strings up to the first difference or the end, at most `limit` bytes.
 * Does nothing if the caller is not instrumented. */
static void check_comparison(const char *a, const char *b, size_t limit, struct rt_caller caller)
{
    size_t n = 0;
    if (!rt_is_instrumented_caller(caller))
        return;
    while (n < limit && a[n] == b[n] && a[n])
        n++;
    rt_check_read(a, rt_min_size(n + 1, limit), caller);
    rt_check_read(b, rt_min_size(n + 1, limit), caller);
}

FUNCTION(int, strcmp, (const char *a, const char *b))
{
    check_comparison(a, b, SIZE_MAX, CALLER);
    return REAL(strcmp)(a, b);
}

FUNCTION(int, strncmp, (const char *a, const char *b, size_t n))
{
    check_comparison(a, b, n, CALLER);
    return REAL(strncmp)(a, b, n);
}

/* ------------------------------------------------------------------------------------- files -- */

FUNCTION(size_t, fread, (void *to, size_t element_size, size_t n, FILE *file))
{
    const size_t nread = REAL(fread)(to, element_size, n, file);
    rt_check_write(to, nread * element_size, CALLER);
    return nread;
}

FUNCTION(size_t, fwrite, (const void *from, size_t element_size, size_t n, FILE *file))
{
    rt_check_read(from, n * element_size, CALLER);
    return REAL(fwrite)(from, element_size, n, file);
}

FUNCTION(ssize_t, read, (int file, void *to, size_t n))
{
    const ssize_t nread = REAL(read)(file, to, n);
    if (nread > 0)
        rt_check_write(to, (size_t)nread, CALLER);
    return nread;
}

FUNCTION(ssize_t, write, (int file, const void *from, size_t n))
{
    rt_check_read(from, n, CALLER);
    return REAL(write)(file, from, n);
}

FUNCTION(ssize_t, pread, (int file, void *to, size_t n, off_t at))
{
    const ssize_t nread = REAL(pread)(file, to, n, at);
    if (nread > 0)
        rt_check_write(to, (size_t)nread, CALLER);
    return nread;
}

FUNCTION(ssize_t, pwrite, (int file, const void *from, size_t n, off_t at))
{
    rt_check_read(from, n, CALLER);
    return REAL(pwrite)(file, from, n, at);
}

FUNCTION(char *, fgets, (char *to, int n, FILE *file))
{
    char *line = REAL(fgets)(to, n, file);
    if (line)
        rt_check_write(to, rt_count_string_bytes(to, (size_t)n), CALLER);
    return line;
}

FUNCTION(int, fputs, (const char *text, FILE *file))
{
    rt_check_read(text, rt_count_string_bytes(text, SIZE_MAX), CALLER);
    return REAL(fputs)(text, file);
}

FUNCTION(int, puts, (const char *text))
{
    rt_check_read(text, rt_count_string_bytes(text, SIZE_MAX), CALLER);
    return REAL(puts)(text);
}

/* ----------------------------------------------------------------------------------- streams -- */

/* C++'s std::ostream::write, which reads n bytes at `from`, and std::istream::read, which may write n bytes at `to`.
 * Both return the stream. */
FUNCTION(void *, _ZNSo5writeEPKcl, (void *stream, const char *from, long n))
{
    if (n > 0)
        rt_check_read(from, (size_t)n, CALLER);
    return REAL(_ZNSo5writeEPKcl)(stream, from, n);
}

FUNCTION(void *, _ZNSi4readEPcl, (void *stream, char *to, long n))
{
    void *same = REAL(_ZNSi4readEPcl)(stream, to, n);
    if (n > 0)
        rt_check_write(to, (size_t)n, CALLER);
    return same;
}
