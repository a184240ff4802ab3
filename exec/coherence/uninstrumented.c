/* uninstrumented.c - finds parts of the program that were not compiled for checking, so that their loads and stores are
 * not observed. An object file is such a part if it has no constructor of the thread sanitizer, by the program's symbol
 * table. A shared library is one if it calls functions of directives but not __tsan_init. */
#include "diag/diagnostics.h"
#include "shadow.h"

#include <assert.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MAX = 4 };
static struct {
    size_t n;         /* object files and libraries that were not compiled for checking */
    bool has_kernels; /* true if one of these files or libraries has kernels */
    char names[256];  /* names of the first NAMES_MAX files and libraries, separated by commas */
} uninstrumented;

/* Returns true if files or libraries that were not compiled for checking are known. */
bool rt_has_uninstrumented_objects(void)
{
    return uninstrumented.n;
}

/* Returns true if an object file or library that was not compiled for checking may have kernels. A library may if it
 * calls functions of directives. */
bool rt_has_uninstrumented_kernels(void)
{
    return uninstrumented.has_kernels;
}

/* Returns true if the source file's name is that of a startup file, which compilers and the C library link into every
 * program. The name "" counts, too. */
static bool is_startup_file(const char *file)
{
    static const char *const startup_files[] = {"", "crtstuff.c", "offloadstuff.c", "tsan_preinit.cpp", "<artificial>"};
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; i < sizeof startup_files / sizeof startup_files[0]; i++)
        if (!strcmp(file, startup_files[i]))
            return true;
    return dot && (!strcmp(dot, ".o") || !strcmp(dot, ".oS") || !strcmp(dot, ".S"));
}

/* Counts a file or library that was not compiled for checking, and appends its name while fewer than NAMES_MAX are
 * listed. */
static void add_uninstrumented_file(const char *file, bool has_kernels)
{
    assert(file && *file);
    const size_t length = strlen(uninstrumented.names);
    uninstrumented.has_kernels |= has_kernels;
    if (uninstrumented.n++ < NAMES_MAX)
        snprintf(uninstrumented.names + length, sizeof uninstrumented.names - length, "%s%s", length ? ", " : "", file);
}

/* Adds the object files that have no constructor of the thread sanitizer, from the n symbols of the program. The symbol
 * with the name of a source file (STT_FILE) comes before the local symbols of that file. names: string table of
 * `names_bytes` bytes that ends with 0. */
static void read_symbols(const Elf64_Sym *symbols, size_t n, const char *names, size_t names_bytes)
{
    const char *file = "";
    bool shadow = false, has_kernels = false;
    for (size_t i = 0; i <= n; i++) {
        const char *name = i < n && symbols[i].st_name < names_bytes ? names + symbols[i].st_name : "";
        const bool is_file = i < n && ELF64_ST_TYPE(symbols[i].st_info) == STT_FILE;
        if ((i == n || is_file || ELF64_ST_BIND(symbols[i].st_info) != STB_LOCAL) && *file) {
            if (!shadow && !is_startup_file(file))
                add_uninstrumented_file(file, has_kernels);
            file = "";
        }
        if (is_file) {
            file = name;
            shadow = has_kernels = false;
        }
        /* Names of the constructor that gcc and clang, in this order, add to a file compiled for checking. */
        shadow |= strstr(name, "sub_I_00099_") || !strcmp(name, "tsan.module_ctor");
        has_kernels |= strstr(name, "._omp_fn.") || strstr(name, "omp_offloading");
    }
}

/* Returns true if a section lies within the file's `bytes` bytes. */
static bool is_section_within(const Elf64_Shdr *section, size_t bytes)
{
    return section->sh_offset <= bytes && section->sh_size <= bytes - section->sh_offset;
}

/* Reads the symbol tables of an ELF file in memory, of `bytes` bytes at `image`. Adds the object files without a
 * constructor of the thread sanitizer (read_symbols). Does nothing if the ELF file is malformed. */
static void read_object_file(const char *image, size_t bytes)
{
    const Elf64_Ehdr *head = (const void *)image;
    if (bytes < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_shoff > bytes ||
        head->e_shnum > (bytes - head->e_shoff) / sizeof(Elf64_Shdr))
        return;
    const Elf64_Shdr *sections = (const void *)(image + head->e_shoff);
    for (size_t i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *table = &sections[i], *names = &sections[table->sh_link < head->e_shnum ? table->sh_link : 0];
        if (table->sh_type == SHT_SYMTAB && is_section_within(table, bytes) && is_section_within(names, bytes) &&
            names->sh_size && !image[names->sh_offset + names->sh_size - 1])
            read_symbols((const void *)(image + table->sh_offset), table->sh_size / sizeof(Elf64_Sym),
                         image + names->sh_offset, names->sh_size);
    }
}

/* Tables of a loaded library that its dynamic section names. A field is NULL if the library lacks the table. */
struct tables {
    const Elf64_Sym *symbols;
    const char *names;
    const uint32_t *hash, *gnu_hash; /* hash tables of the symbols */
};

/* Returns the tables that the dynamic section of a loaded module names. */
static struct tables read_dynamic_tables(const struct dl_phdr_info *info)
{
    struct tables tables = {0};
    const Elf64_Dyn *entry = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        const uintptr_t at = entry->d_un.d_ptr;
        const void *table = (const void *)(at < info->dlpi_addr ? info->dlpi_addr + at : at);
        if (entry->d_tag == DT_SYMTAB)
            tables.symbols = table;
        else if (entry->d_tag == DT_STRTAB)
            tables.names = table;
        else if (entry->d_tag == DT_HASH)
            tables.hash = table;
        else if (entry->d_tag == DT_GNU_HASH)
            tables.gnu_hash = table;
    }
    return tables;
}

/* Returns true if `name` is that of a function that compilers call for directives of OpenACC or OpenMP. */
static bool is_directive(const char *name)
{
    return !strncmp(name, "GOACC_", 6) || !strncmp(name, "GOMP_target", 11) || !strncmp(name, "__tgt_", 6);
}

/* Adds the library at `path`, by its name without the folder, as one with kernels. Does nothing if the name was added
 * before, if 64 names are known, or without memory. */
static void add_uninstrumented_library(const char *path)
{
    static char *library_names[64];
    static size_t n;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(library_names[i], name))
            return;
    if (n < sizeof library_names / sizeof library_names[0] && (library_names[n] = strdup(name))) {
        n++;
        add_uninstrumented_file(name, true);
    }
}

/* Callback of dl_iterate_phdr: adds a library that calls functions of directives and was not compiled for checking.
 * Returns 0, so that the iteration continues. */
static int scan_library(struct dl_phdr_info *info, size_t size, void *ud)
{
    const struct tables tables = read_dynamic_tables(info);
    (void)size, (void)ud;
    if (!info->dlpi_name || !*info->dlpi_name || !tables.symbols || !tables.names)
        return 0;
    /* A GNU hash table begins after the undefined symbols: its second word is their number, so all symbols before it
     * are those of other modules. */
    const size_t n = tables.gnu_hash ? tables.gnu_hash[1] : tables.hash ? tables.hash[1] : 0;
    bool has_directives = false, shadow = false;
    for (size_t i = 0; i < n; i++)
        if (tables.symbols[i].st_shndx == SHN_UNDEF) {
            const char *name = tables.names + tables.symbols[i].st_name;
            has_directives |= is_directive(name);
            shadow |= !strcmp(name, "__tsan_init");
        }
    if (has_directives && !shadow)
        add_uninstrumented_library(info->dlpi_name);
    return 0;
}

/* Adds the loaded libraries with directives that were not compiled for checking. */
void rt_scan_modules(void)
{
    dl_iterate_phdr(scan_library, NULL);
}

/* Finds the object files of the program that were not compiled for checking; none if the program's file cannot be read.
 */
void rt_find_uninstrumented_objects(void)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat stat;
    memset(&uninstrumented, 0, sizeof uninstrumented);
    if (fd < 0)
        return;
    if (!fstat(fd, &stat) && stat.st_size > 0) {
        const size_t bytes = (size_t)stat.st_size;
        void *image = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (image != MAP_FAILED) {
            read_object_file(image, bytes);
            munmap(image, bytes);
        }
    }
    close(fd);
}

/* Reports the files and libraries that were not compiled for checking: the first NAMES_MAX by name, and how many others
 * there are. Reports nothing if there are none. */
void rt_report_uninstrumented_objects(void)
{
    char rest[40] = "";
    if (!uninstrumented.n)
        return;
    rt.has_unchecked_objects = true;
    if (uninstrumented.n > NAMES_MAX)
        snprintf(rest, sizeof rest, " and %zu more", uninstrumented.n - NAMES_MAX);
    rt_report("note", "not-checked", NULL, 0,
              "%s%s: not compiled by accdeep cc; its loads and stores are not checked, and "
              "transfers have no advice",
              uninstrumented.names, rest);
}
