/* objects.c - parts of the program that were not compiled for checking, whose loads and stores are
 * not seen. Those are object files of the program, by its table of symbols: the compiler's thread
 * sanitizer puts a constructor into each file. And those are shared libraries with directives, by
 * the functions that they call. */
#include "shadow.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAMES = 4 };
static struct {
    size_t n;         /* object files and libraries that were not compiled for checking */
    bool has_kernels; /* of some */
    char names[256];  /* of the first ones */
} unchecked;

bool goacc_objects_unchecked(void)
{
    return unchecked.n;
}

bool goacc_kernels_unchecked(void)
{
    return unchecked.has_kernels;
}

/* Whether a file is part of every program: compilers and the C library name theirs so. */
static bool is_startup(const char *file)
{
    static const char *const known[] = {"", "crtstuff.c", "offloadstuff.c", "tsan_preinit.cpp",
                                        "<artificial>"};
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(file, known[i]))
            return true;
    return dot && (!strcmp(dot, ".o") || !strcmp(dot, ".oS") || !strcmp(dot, ".S"));
}

static void note(const char *file, bool has_kernels)
{
    const size_t used = strlen(unchecked.names);
    unchecked.has_kernels |= has_kernels;
    if (unchecked.n++ < MOST_NAMES)
        snprintf(unchecked.names + used, sizeof unchecked.names - used, "%s%s", used ? ", " : "",
                 file);
}

/* Local symbols come file by file, each behind the name of its file. */
static void look_at(const Elf64_Sym *symbols, size_t n, const char *names, size_t names_bytes)
{
    const char *file = "";
    bool checked = false, has_kernels = false;
    for (size_t i = 0; i <= n; i++) {
        const char *name =
            i < n && symbols[i].st_name < names_bytes ? names + symbols[i].st_name : "";
        const bool is_file = i < n && ELF64_ST_TYPE(symbols[i].st_info) == STT_FILE;
        if ((i == n || is_file || ELF64_ST_BIND(symbols[i].st_info) != STB_LOCAL) && *file) {
            if (!checked && !is_startup(file))
                note(file, has_kernels);
            file = "";
        }
        if (is_file) {
            file = name;
            checked = has_kernels = false;
        }
        checked |= strstr(name, "sub_I_00099_") ||
                   !strcmp(name, "tsan.module_ctor"); /* of gcc, of clang */
        has_kernels |= strstr(name, "._omp_fn.") || strstr(name, "omp_offloading");
    }
}

static bool lies_within(const Elf64_Shdr *section, size_t bytes)
{
    return section->sh_offset <= bytes && section->sh_size <= bytes - section->sh_offset;
}

static void look_at_file(const char *image, size_t bytes)
{
    const Elf64_Ehdr *head = (const void *)image;
    if (bytes < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shoff > bytes || head->e_shnum > (bytes - head->e_shoff) / sizeof(Elf64_Shdr))
        return;
    const Elf64_Shdr *sections = (const void *)(image + head->e_shoff);
    for (size_t i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *table = &sections[i],
                         *names = &sections[table->sh_link < head->e_shnum ? table->sh_link : 0];
        if (table->sh_type == SHT_SYMTAB && lies_within(table, bytes) &&
            lies_within(names, bytes) && names->sh_size &&
            !image[names->sh_offset + names->sh_size - 1])
            look_at((const void *)(image + table->sh_offset), table->sh_size / sizeof(Elf64_Sym),
                    image + names->sh_offset, names->sh_size);
    }
}

/* The tables of a library in memory. */
struct tables {
    const Elf64_Sym *symbols;
    const char *names;
    const uint32_t *hash, *gnu_hash; /* either may be NULL */
};

static struct tables tables_of(const struct dl_phdr_info *info)
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

static bool is_directive(const char *name)
{
    return !strncmp(name, "GOACC_", 6) || !strncmp(name, "GOMP_target", 11) ||
           !strncmp(name, "__tgt_", 6);
}

/* Notes a library once, by its name without the folder. */
static void note_library(const char *path)
{
    static char *noted[64];
    static size_t n;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(noted[i], name))
            return;
    if (n < sizeof noted / sizeof noted[0] && (noted[n] = strdup(name))) {
        n++;
        note(name, true);
    }
}

static int look_at_library(struct dl_phdr_info *info, size_t size, void *ud)
{
    const struct tables tables = tables_of(info);
    (void)size, (void)ud;
    if (!info->dlpi_name || !*info->dlpi_name || !tables.symbols || !tables.names)
        return 0;
    /* Symbols of other modules come first: a table of GNU's kind begins behind them. */
    const size_t n = tables.gnu_hash ? tables.gnu_hash[1] : tables.hash ? tables.hash[1] : 0;
    bool has_directives = false, checked = false;
    for (size_t i = 0; i < n; i++)
        if (tables.symbols[i].st_shndx == SHN_UNDEF) {
            const char *name = tables.names + tables.symbols[i].st_name;
            has_directives |= is_directive(name);
            checked |= !strcmp(name, "__tsan_init");
        }
    if (has_directives && !checked)
        note_library(info->dlpi_name);
    return 0;
}

void goacc_objects_look(void)
{
    dl_iterate_phdr(look_at_library, NULL);
}

void goacc_objects_open(void)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat stat;
    memset(&unchecked, 0, sizeof unchecked);
    if (fd < 0)
        return;
    if (!fstat(fd, &stat) && stat.st_size > 0) {
        const size_t bytes = (size_t)stat.st_size;
        void *image = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (image != MAP_FAILED) {
            look_at_file(image, bytes);
            munmap(image, bytes);
        }
    }
    close(fd);
}

void goacc_objects_end(void)
{
    char others[40] = "";
    if (!unchecked.n)
        return;
    if (unchecked.n > MOST_NAMES)
        snprintf(others, sizeof others, " and %zu more", unchecked.n - MOST_NAMES);
    goacc_tell("note", "not-checked", NULL, 0,
               "%s%s: not compiled by accdeep cc; loads and stores there are not checked, and "
               "transfers have no advice",
               unchecked.names, others);
}
