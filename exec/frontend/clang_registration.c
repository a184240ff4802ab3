/* clang_registration.c - registers the device code of programs and libraries compiled by clang, as they are loaded,
 * and checks their requires directives. Also defines entry points that do nothing, or that end the program because they
 * are not supported. */
#include "api/target.h"

#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "image/image.h"
#include "rt/lifecycle.h"

#include <assert.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ libraries --
 */

/* Entry of a function or variable that has device code, as LLVM before 21 lists it in the program. */
struct legacy_entry {
    void *host;
    const char *name;
    uint64_t bytes;
    uint32_t flags, data;
};
/* Entry as LLVM 21 and later list it. The field `zero` distinguishes it from struct legacy_entry, whose first word is
 * not 0. */
struct entry {
    uint64_t zero;
    uint16_t version, kind;
    uint32_t flags;
    void *host;
    const char *name;
    uint64_t bytes, data;
    void *more;
};
/* Value of entry.kind for OpenMP, and flags of an entry. */
enum { OPENMP = 1 };
enum { IS_LINK = 0x1, IS_CONSTRUCTOR = 0x2, IS_DESTRUCTOR = 0x4, IS_INDIRECT = 0x8, IS_REQUIRES = 0x10 };

/* Device code of a program or library for one kind of device: a file's bytes from `start` to `end`. */
struct device_image {
    const char *start, *end;
    void *entries, *entries_end;
};

/* Program or library with device code, as the compiler registers it: images for one or more targets, and the entries of
 * its functions and variables. */
struct library {
    int32_t nimages;
    const struct device_image *images;
    const char *entries, *entries_end;
};

enum { REVERSE_OFFLOAD = 0x2, UNIFIED_ADDRESS = 0x4, UNIFIED_SHARED_MEMORY = 0x8 };

/* Reports an unsupported clause of a `requires` directive, by `message` and `help`, and ends the program. The report
 * has no location, because the compiler passes the union of all files' clauses. */
static _Noreturn void refuse_requires(const char *message, const char *help)
{
    rt_emit_diagnostic(&(struct rt_diagnostic){.level = "error", .code = "unsupported", .help = help}, "%s", message);
    rt_exit_with_error();
}

/* Checks `flags`, the clauses of the program's `requires` directives. Unsupported clauses end the program, unless all
 * regions run on the host. UNIFIED_ADDRESS sets rt.device_pointers. */
static void check_requires(int64_t flags)
{
    if (flags & (UNIFIED_SHARED_MEMORY | REVERSE_OFFLOAD)) {
        rt_ensure_started(); /* the options decide how reports are written */
        if (!rt.options.targets)
            return;
    }
    if (flags & UNIFIED_SHARED_MEMORY)
        refuse_requires("requires names unified_shared_memory, but a device has memory of its own here",
                        "map the data, and leave the directive out; or run the regions on the host, unchecked: "
                        "OMP_TARGET_OFFLOAD=disabled");
    if (flags & REVERSE_OFFLOAD)
        refuse_requires("requires names reverse_offload, which regions of this machine do not have",
                        "end the region before the work of the host, and leave the directive out; "
                        "or run the regions on "
                        "the host, unchecked: OMP_TARGET_OFFLOAD=disabled");
    rt.device_pointers |= flags & UNIFIED_ADDRESS;
}

/* Converts the entry at `at` to *entry_p. old: the entry is a struct legacy_entry, otherwise a struct entry. Returns
 * false if it is neither a variable nor a function of OpenMP. One such entry stands for `requires` directives, whose
 * flags are checked. */
static bool read_entry(const char *at, bool old, struct rt_image_entry *entry_p)
{
    assert(at && entry_p);
    const struct legacy_entry *legacy = (const struct legacy_entry *)(const void *)at;
    const struct entry *entry = (const struct entry *)(const void *)at;
    const uint32_t flags = old ? legacy->flags : entry->flags;
    *entry_p = old ? (struct rt_image_entry){.host = legacy->host, .name = legacy->name, .bytes = legacy->bytes}
                   : (struct rt_image_entry){.host = entry->host, .name = entry->name, .bytes = entry->bytes};
    if (!old && entry->kind != OPENMP)
        return false;
    if (!entry_p->bytes && flags & IS_REQUIRES) {
        check_requires(old ? (int64_t)legacy->data : (int64_t)entry->data);
        return false;
    }
    if (!entry_p->bytes && flags & (IS_CONSTRUCTOR | IS_DESTRUCTOR))
        entry_p->kind = flags & IS_CONSTRUCTOR ? RT_IMAGE_CONSTRUCTOR : RT_IMAGE_DESTRUCTOR;
    if (entry_p->bytes && flags & IS_LINK)
        entry_p->kind = RT_IMAGE_LINK;
    if (flags & IS_INDIRECT) {
        entry_p->kind = RT_IMAGE_INDIRECT;
        entry_p->bytes = 0;
    }
    return entry_p->host && entry_p->name;
}

/* Header of the package in which LLVM may store an image. bytes: size of the package; entry, entry_bytes: offset and
 * size of its struct packaged_image. */
struct package {
    uint8_t magic[4];
    uint32_t version;
    uint64_t bytes, entry, entry_bytes;
};
/* Description of one image in a package. image, image_bytes: offset in the package and size of the image. */
struct packaged_image {
    uint16_t image_kind, kind;
    uint32_t flags;
    uint64_t strings, nstrings, image, image_bytes;
};

/* If the *bytes_p bytes at *start_p are a package (struct package), replaces this address and size by those of the
 * image in it. Does nothing for other contents, and for a malformed package. */
static void unpack_image(const char **start_p, uint64_t *bytes_p)
{
    assert(*start_p && bytes_p);
    static const uint8_t magic[] = {0x10, 0xFF, 0x10, 0xAD};
    const struct package *package = (const struct package *)(const void *)*start_p;
    if (*bytes_p < sizeof *package || memcmp(package->magic, magic, sizeof magic) != 0 ||
        *bytes_p < sizeof(struct packaged_image) || package->entry > *bytes_p - sizeof(struct packaged_image))
        return;
    const struct packaged_image *packaged_image =
        (const struct packaged_image *)(const void *)(*start_p + package->entry);
    if (packaged_image->image > *bytes_p || packaged_image->image_bytes > *bytes_p - packaged_image->image)
        return;
    *start_p += packaged_image->image;
    *bytes_p = packaged_image->image_bytes;
}

/* Returns true if an image is a 64-bit ELF file for x86-64. */
static bool is_for_this_machine(const char *start, uint64_t bytes)
{
    Elf64_Ehdr head;
    if (bytes < sizeof head)
        return false;
    memcpy(&head, start, sizeof head);
    return !memcmp(head.e_ident, ELFMAG, SELFMAG) && head.e_ident[EI_CLASS] == ELFCLASS64 &&
           head.e_machine == EM_X86_64;
}

/* Returns the functions and variables that the library lists, in memory of malloc, and stores their number in *n_p.
 * Ends the program without memory. */
static struct rt_image_entry *read_entries(const struct library *library, size_t *n_p)
{
    assert(library->entries <= library->entries_end && n_p);
    const size_t bytes = (size_t)(library->entries_end - library->entries);
    const bool old = bytes && rt_load_word(library->entries);
    const size_t entry_size = old ? sizeof(struct legacy_entry) : sizeof(struct entry);
    struct rt_image_entry *entries = calloc(bytes / entry_size + 1, sizeof *entries);
    if (!entries)
        rt_fatal("out-of-memory", "no memory for the program's device code");
    *n_p = 0;
    for (size_t at = 0; at + entry_size <= bytes; at += entry_size)
        *n_p += read_entry(library->entries + at, old, &entries[*n_p]);
    return entries;
}

/* Registers a library: keeps the image for this machine, and loads it at once if the runtime has started. Ends the
 * program if the library has images for other machines only. */
void __tgt_register_lib(const struct library *library);
void __tgt_register_lib(const struct library *library)
{
    struct rt_site site = rt_caller_site("requires");
    size_t n;
    struct rt_image_entry *entries = read_entries(library, &n);
    for (int32_t i = 0; i < library->nimages; i++) {
        const char *start = library->images[i].start;
        uint64_t bytes = (uint64_t)(library->images[i].end - start);
        unpack_image(&start, &bytes);
        if (!is_for_this_machine(start, bytes))
            continue;
        rt_image_add(library, start, bytes, entries, n);
        if (rt.context) { /* the library was loaded after the start: its image is loaded at once */
            rt_enter(&site);
            rt_load_images();
            rt_leave();
        }
        return;
    }
    free(entries);
    if (library->nimages)
        rt_fatal("unsupported", "the program has device code for GPUs only; compile it with "
                                "-fopenmp-targets=x86_64-pc-linux-gnu");
}

/* Removes the device code of a library, which the dynamic linker unloads or the program's end. */
void __tgt_unregister_lib(const struct library *library);
void __tgt_unregister_lib(const struct library *library)
{
    rt_image_remove(library);
}

/* Checks the flags of requires directives, which older compilers pass by this call. */
void __tgt_register_requires(int64_t flags);
void __tgt_register_requires(int64_t flags)
{
    check_requires(flags);
}

/* -------------------------------------------------------------------------- further entry points -- */

/* Does nothing: the number of iterations of a loop matters only to GPUs. */
void __kmpc_push_target_tripcount(int64_t device, uint64_t iterations);
void __kmpc_push_target_tripcount(int64_t device, uint64_t iterations)
{
    (void)device, (void)iterations;
}
void __kmpc_push_target_tripcount_mapper(void *location, int64_t device, uint64_t iterations);
void __kmpc_push_target_tripcount_mapper(void *location, int64_t device, uint64_t iterations)
{
    (void)location, (void)device, (void)iterations;
}

/* Does nothing: the flags select messages of LLVM's own runtime, which this library replaces. */
void __tgt_set_info_flag(uint32_t flags);
void __tgt_set_info_flag(uint32_t flags)
{
    (void)flags;
}

/* Prints nothing and returns 0. */
int __tgt_print_device_info(int64_t device);
int __tgt_print_device_info(int64_t device)
{
    (void)device;
    return 0; /* a simulated device has no information to print */
}

/* Defines the entry point `function` for a call that is not supported: it reports that `construct_name` `reason`, and
 * ends the program. */
#define REFUSED(function, construct_name, reason)                             \
    void function(void);                                                      \
    void function(void)                                                       \
    {                                                                         \
        const struct rt_site site = rt_caller_site(construct_name);           \
        rt_ensure_started(); /* the options decide how reports are written */ \
        rt_reject_call(&site, "unsupported", reason);                         \
    }
REFUSED(__tgt_interop_init, "interop", "needs a device with streams of its own")
REFUSED(__tgt_interop_use, "interop", "needs a device with streams of its own")
REFUSED(__tgt_interop_destroy, "interop", "needs a device with streams of its own")
/* Entry points for interop objects of clang 22. */
REFUSED(__tgt_interop_get, "interop", "needs a device with streams of its own")
REFUSED(__tgt_interop_use60, "interop", "needs a device with streams of its own")
REFUSED(__tgt_interop_release, "interop", "needs a device with streams of its own")
/* Entry point for interop objects of gcc 15. */
REFUSED(GOMP_interop, "interop", "needs a device with streams of its own")

/* Allocates `bytes` bytes of device memory; returns their address, NULL on failure. LLVM's name of omp_target_alloc. */
void *llvm_omp_target_alloc_device(size_t bytes, int device);
void *llvm_omp_target_alloc_device(size_t bytes, int device)
{
    return omp_target_alloc(bytes, device);
}
/* Frees device memory. LLVM's name of omp_target_free. */
void llvm_omp_target_free_device(void *pointer, int device);
void llvm_omp_target_free_device(void *pointer, int device)
{
    omp_target_free(pointer, device);
}
REFUSED(llvm_omp_target_alloc_host, "llvm_omp_target_alloc_host", "needs memory that host and device share")
REFUSED(llvm_omp_target_alloc_shared, "llvm_omp_target_alloc_shared", "needs memory that host and device share")
