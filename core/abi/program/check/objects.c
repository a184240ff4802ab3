/* objects.c - object files of the program that were not compiled for checking, by its table of
 * symbols. The compiler's thread sanitizer puts a constructor into each file; without one, the
 * loads and stores of the file are not seen. */
#include "shadow.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAMES = 4 };
static struct {
    size_t n;         /* object files that were not compiled for checking */
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
