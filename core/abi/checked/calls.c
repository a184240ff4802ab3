/* calls.c - functions of the C library that read or write memory of their caller, where that is a
 * module compiled for checking: each is checked, and then done by the C library. */
#include "access.h"
#include "calls.h"

#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ----------------------------------------------------------------------------------- callers -- */

enum { MODULES = 64 }; /* of more, calls are not checked */
static struct {
    uintptr_t low, high;
} modules[MODULES];
static unsigned nmodules;

/* Whether relocations of a module name a symbol. */
static bool names(const ElfW(Rela) * at, size_t bytes, const ElfW(Sym) * symbols, const char *text,
                  const char *name)
{
    for (size_t i = 0; i < bytes / sizeof *at; i++)
        if (!strcmp(text + symbols[ELF64_R_SYM(at[i].r_info)].st_name, name))
            return true;
    return false;
}

static bool is_compiled_so(const struct dl_phdr_info *info, const ElfW(Dyn) * entry)
{
    uintptr_t of[DT_JMPREL + 1] = {0};
    for (; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag >= 0 && entry->d_tag <= DT_JMPREL)
            of[entry->d_tag] = entry->d_un.d_ptr;
    const ElfW(Sym) *symbols = (const void *)of[DT_SYMTAB];
    const char *text = (const char *)of[DT_STRTAB], *name = "__tsan_init";
    if (!symbols || !text ||
        of[DT_SYMTAB] < info->dlpi_addr) /* as the system's own module has it */
        return false;
    return names((const void *)of[DT_JMPREL], of[DT_JMPREL] ? of[DT_PLTRELSZ] : 0, symbols, text,
                 name) ||
           names((const void *)of[DT_RELA], of[DT_RELA] ? of[DT_RELASZ] : 0, symbols, text, name);
}

static bool is_in_module(uintptr_t pc);

/* Modules that call __tsan_init. It may be a jump, so that the address behind the call is none of
 * the module. */
static int note_module(struct dl_phdr_info *info, size_t bytes, void *ud)
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
    if (nmodules < MODULES && dynamic && !is_in_module(low) && is_compiled_so(info, dynamic)) {
        modules[nmodules].low = low;
        modules[nmodules].high = high;
        __atomic_store_n(&nmodules, nmodules + 1, __ATOMIC_RELEASE);
    }
    return 0;
}

static bool is_in_module(uintptr_t pc)
{
    for (unsigned i = 0, n = __atomic_load_n(&nmodules, __ATOMIC_ACQUIRE); i < n; i++)
        if (pc - modules[i].low < modules[i].high - modules[i].low)
            return true;
    return false;
}

bool goacc_is_checked(struct goacc_caller caller)
{
    return checked_here.leaves && is_in_module(caller.pc);
}

static int count_modules(struct dl_phdr_info *info, size_t bytes, void *ud)
{
    (void)bytes;
    *(unsigned long long *)ud = info->dlpi_adds;
    return 1;
}

/* Called by each file of a module, as it starts. */
API void __tsan_init(void);
void __tsan_init(void)
{
    static unsigned long long seen;
    unsigned long long loaded = 0;
    dl_iterate_phdr(count_modules, &loaded);
    if (loaded != seen)
        dl_iterate_phdr(note_module, NULL);
    seen = loaded;
}

void *goacc_real(void **kept, const char *name)
{
    if (!*kept)
        *kept = dlsym(RTLD_NEXT, name);
    return *kept;
}

void goacc_check_words(const void *at, size_t n, bool write, struct goacc_caller caller)
{
    goacc_ask_words((uintptr_t)at, n, write ? GOACC_WRITES : GOACC_READS, caller.pc, caller.frame);
}

/* ------------------------------------------------------------------------------------ memory -- */

/* Calls the C library's own function. */
#define REAL(name) ((__typeof__(&(name)))goacc_real(&real_##name, #name))
#define DEFINE(type, name, parameters) \
    API type name parameters;          \
    type name parameters
#define FUNCTION(type, name, parameters) \
    static void *real_##name;            \
    DEFINE(type, name, parameters)

FUNCTION(void *, memcpy, (void *to, const void *from, size_t n))
{
    goacc_reads(from, n, CALLER);
    goacc_writes(to, n, CALLER);
    return REAL(memcpy)(to, from, n);
}

FUNCTION(void *, mempcpy, (void *to, const void *from, size_t n))
{
    goacc_reads(from, n, CALLER);
    goacc_writes(to, n, CALLER);
    return REAL(mempcpy)(to, from, n);
}

FUNCTION(void *, memmove, (void *to, const void *from, size_t n))
{
    goacc_reads(from, n, CALLER);
    goacc_writes(to, n, CALLER);
    return REAL(memmove)(to, from, n);
}

FUNCTION(void *, memset, (void *to, int byte, size_t n))
{
    goacc_writes(to, n, CALLER);
    return REAL(memset)(to, byte, n);
}

FUNCTION(int, memcmp, (const void *a, const void *b, size_t n))
{
    size_t same = 0;
    if (goacc_is_checked(CALLER)) {
        while (same < n && ((const char *)a)[same] == ((const char *)b)[same])
            same++;
        goacc_reads(a, least(same + 1, n), CALLER);
        goacc_reads(b, least(same + 1, n), CALLER);
    }
    return REAL(memcmp)(a, b, n);
}

FUNCTION(void, qsort, (void *at, size_t n, size_t each, int (*compare)(const void *, const void *)))
{
    goacc_reads(at, n * each, CALLER);
    goacc_writes(at, n * each, CALLER);
    REAL(qsort)(at, n, each, compare);
}

/* ----------------------------------------------------------------------------------- strings -- */

/* Bytes of a string with its end, or without one, of at most so many. */
static size_t bytes_of(const char *text, size_t most)
{
    size_t n = 0;
    while (n < most && text[n])
        n++;
    return least(n + 1, most);
}

FUNCTION(size_t, strlen, (const char *text))
{
    const size_t n = REAL(strlen)(text);
    goacc_reads(text, n + 1, CALLER);
    return n;
}

FUNCTION(char *, strcpy, (char *to, const char *from))
{
    const size_t n = bytes_of(from, SIZE_MAX);
    goacc_reads(from, n, CALLER);
    goacc_writes(to, n, CALLER);
    return REAL(strcpy)(to, from);
}

FUNCTION(char *, stpcpy, (char *to, const char *from))
{
    const size_t n = bytes_of(from, SIZE_MAX);
    goacc_reads(from, n, CALLER);
    goacc_writes(to, n, CALLER);
    return REAL(stpcpy)(to, from);
}

FUNCTION(char *, strncpy, (char *to, const char *from, size_t n))
{
    goacc_reads(from, bytes_of(from, n), CALLER);
    goacc_writes(to, n, CALLER);
    return REAL(strncpy)(to, from, n);
}

FUNCTION(char *, strcat, (char *to, const char *from))
{
    const size_t before = bytes_of(to, SIZE_MAX), n = bytes_of(from, SIZE_MAX);
    goacc_reads(to, before, CALLER);
    goacc_reads(from, n, CALLER);
    goacc_writes(to + before - 1, n, CALLER);
    return REAL(strcat)(to, from);
}

static void compared(const char *a, const char *b, size_t most, struct goacc_caller caller)
{
    size_t n = 0;
    if (!goacc_is_checked(caller))
        return;
    while (n < most && a[n] == b[n] && a[n])
        n++;
    goacc_reads(a, least(n + 1, most), caller);
    goacc_reads(b, least(n + 1, most), caller);
}

FUNCTION(int, strcmp, (const char *a, const char *b))
{
    compared(a, b, SIZE_MAX, CALLER);
    return REAL(strcmp)(a, b);
}

FUNCTION(int, strncmp, (const char *a, const char *b, size_t n))
{
    compared(a, b, n, CALLER);
    return REAL(strncmp)(a, b, n);
}

/* ------------------------------------------------------------------------------------- files -- */

FUNCTION(size_t, fread, (void *to, size_t each, size_t n, FILE *file))
{
    const size_t got = REAL(fread)(to, each, n, file);
    goacc_writes(to, got * each, CALLER);
    return got;
}

FUNCTION(size_t, fwrite, (const void *from, size_t each, size_t n, FILE *file))
{
    goacc_reads(from, n * each, CALLER);
    return REAL(fwrite)(from, each, n, file);
}

FUNCTION(ssize_t, read, (int file, void *to, size_t n))
{
    const ssize_t got = REAL(read)(file, to, n);
    if (got > 0)
        goacc_writes(to, (size_t)got, CALLER);
    return got;
}

FUNCTION(ssize_t, write, (int file, const void *from, size_t n))
{
    goacc_reads(from, n, CALLER);
    return REAL(write)(file, from, n);
}

FUNCTION(char *, fgets, (char *to, int n, FILE *file))
{
    char *got = REAL(fgets)(to, n, file);
    if (got)
        goacc_writes(to, bytes_of(to, (size_t)n), CALLER);
    return got;
}

FUNCTION(int, fputs, (const char *text, FILE *file))
{
    goacc_reads(text, bytes_of(text, SIZE_MAX), CALLER);
    return REAL(fputs)(text, file);
}

FUNCTION(int, puts, (const char *text))
{
    goacc_reads(text, bytes_of(text, SIZE_MAX), CALLER);
    return REAL(puts)(text);
}

/* -------------------------------------------------------------------------------------- text -- */

/* Passes the argument of a conversion, with the letters before it; %s reads a string. */
static void pass(const char *length, char conversion, long precision, va_list arguments,
                 struct goacc_caller caller)
{
    const bool is_long =
        *length == 'l' || *length == 'j' || *length == 'z' || *length == 't' || *length == 'q';
    const char *text;
    switch (conversion) {
    case 's':
        text = va_arg(arguments, const char *);
        if (text && !is_long)
            goacc_reads(text, bytes_of(text, precision < 0 ? SIZE_MAX : (size_t)precision), caller);
        break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (*length == 'L')
            (void)va_arg(arguments, long double);
        else
            (void)va_arg(arguments, double);
        break;
    case 'n':
    case 'p':
        (void)va_arg(arguments, void *);
        break;
    case 'm':
    case '%':
        break;
    default:
        if (is_long)
            (void)va_arg(arguments, long);
        else
            (void)va_arg(arguments, int);
    }
}

/* The strings that a format prints. Arguments by number are not looked at. */
static void printed(const char *format, va_list arguments, struct goacc_caller caller)
{
    if (!goacc_is_checked(caller) || strchr(format, '$'))
        return;
    for (const char *at = format; (at = strchr(at, '%')); at++) {
        long precision = -1;
        at += 1 + strspn(at + 1, "-+ #0'I");
        if (*at == '*')
            (void)va_arg(arguments, int), at++;
        at += strspn(at, "0123456789");
        if (*at == '.') {
            precision = at[1] == '*' ? va_arg(arguments, int) : strtol(at + 1, NULL, 10);
            at += 1 + (at[1] == '*');
            at += strspn(at, "-0123456789");
        }
        const char *length = at;
        at += strspn(at, "hlLqjzt");
        if (!*at)
            return;
        pass(length, *at, precision, arguments, caller);
    }
}

#define PRINTED                             \
    do {                                    \
        va_list arguments;                  \
        va_start(arguments, format);        \
        printed(format, arguments, CALLER); \
        va_end(arguments);                  \
    } while (0)
#define PRINT(n, call)               \
    do {                             \
        va_list arguments;           \
        va_start(arguments, format); \
        (n) = call;                  \
        va_end(arguments);           \
    } while (0)

DEFINE(int, printf, (const char *format, ...))
{
    int n;
    PRINTED;
    PRINT(n, vprintf(format, arguments));
    return n;
}

DEFINE(int, fprintf, (FILE * file, const char *format, ...))
{
    int n;
    PRINTED;
    PRINT(n, vfprintf(file, format, arguments));
    return n;
}

DEFINE(int, snprintf, (char *to, size_t room, const char *format, ...))
{
    int n;
    PRINTED;
    PRINT(n, vsnprintf(to, room, format, arguments));
    if (n >= 0)
        goacc_writes(to, least((size_t)n + 1, room), CALLER);
    return n;
}

DEFINE(int, sprintf, (char *to, const char *format, ...))
{
    int n;
    PRINTED;
    PRINT(n, vsprintf(to, format, arguments));
    if (n >= 0)
        goacc_writes(to, (size_t)n + 1, CALLER);
    return n;
}
