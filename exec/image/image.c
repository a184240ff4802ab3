/* image.c - loads the device code (image) of a program or library for this machine, and makes its variables present.
 * Called by frontend/clang_registration.c and at the open of a context.
 *
 * An image is loaded once for each device by dlopen, so that each device has variables of its own. Pages with variables
 * are mapped twice, so that the image's code and the transfers of the core see the same bytes:
 *
 *      image:          | code | constants | variables |            part.start, used by the code
 *                                              ||
 *                                         shared pages (memfd)
 *                                              ||
 *      device memory:  | ...              | variables |            part.device, in the present table
 *
 * After a fork the child gets copies of these pages, because shared mappings would connect it with its parent. */
#include "base/lock.h"
#include "diag/errors.h"
#include "diag/label.h"
#include "lib/pages.h"
#include "lib/segments.h"
#include "lib/vector.h"
#include "code_references.h"
#include "image.h"

#include <assert.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Part of an image: pages with variables. start: their address in the image, where its code uses them; device: their
 * address in device memory. Both addresses share the same pages. */
struct part {
    uint64_t start, bytes, device;
    int copy; /* during a fork: file with the contents for the child; -1: could not be made */
};

/* Image as loaded for one device, with its handle of dlopen and its load address `base`. */
struct loaded_image {
    void *handle;
    uint64_t base;
    struct part *parts;
    size_t nparts, parts_capacity;
    void **addresses; /* address in the image, by index of an entry; an element is NULL if the image lacks the entry */
};

/* Registered image: the device code of `bytes` bytes at `start`, of the program or library `owner`. The list is in
 * order of registration. */
static struct image {
    struct image *next;
    const void *owner;
    const char *start;
    size_t bytes;
    struct rt_image_entry *entries; /* entries, sorted by host address */
    size_t nentries;
    struct loaded_image *devices; /* loaded image, by device; NULL: not yet loaded for any */
    const accd_context *open;     /* context in which the image's variables are present; NULL: not yet opened */
} * images;
static bool has_variables; /* true if a loaded image of a checked run has variables */

/* Compares entries by host address, for qsort and bsearch. */
static int compare_hosts(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct rt_image_entry *)a)->host,
                    y = (uintptr_t)((const struct rt_image_entry *)b)->host;
    return (x > y) - (x < y);
}

/* Appends an image of `owner`, the `bytes` bytes at `start`, to the list of images, and sorts its `entries`, which it
 * then owns. Ends the program without memory. */
void rt_image_add(const void *owner, const char *start, size_t bytes, struct rt_image_entry *entries, size_t nentries)
{
    assert(start && (entries || !nentries));
    struct image *image = malloc(sizeof *image), **last = &images;
    if (!image)
        rt_fatal("out-of-memory", "no memory for the program's device code");
    *image = (struct image){.owner = owner, .start = start, .bytes = bytes, .entries = entries, .nentries = nentries};
    qsort(entries, nentries, sizeof *entries, compare_hosts);
    rt_lock();
    while (*last)
        last = &(*last)->next;
    *last = image;
    rt_unlock();
}

/* --------------------------------------------------------------------------------------- load --
 */

/* Ends the program with a report, because an image cannot be loaded. reason: the reason, in words. */
static _Noreturn void reject_image(const char *reason)
{
    rt_fatal("unsupported", "the program's device code for this machine cannot be loaded: %s", reason);
}

/* Makes the image resolve names within itself first, even if the program exports the same names. Since clang 19, images
 * are linked in this way. For earlier versions, the function replaces the optional DT_RELACOUNT entry in `file`, the
 * memory file with a copy of the image, by DT_SYMBOLIC. Failure ends the program. */
static void bind_names_locally(const struct image *image, int file)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)image->start;
    const Elf64_Phdr *parts = (const Elf64_Phdr *)(const void *)(image->start + head->e_phoff);
    const Elf64_Dyn dynamic_entry = {.d_tag = DT_SYMBOLIC};
    for (size_t i = 0; i < head->e_phnum; i++) {
        const uint64_t offset = parts[i].p_offset;
        for (uint64_t at = 0; parts[i].p_type == PT_DYNAMIC && at < parts[i].p_filesz; at += sizeof dynamic_entry) {
            Elf64_Dyn entry;
            memcpy(&entry, image->start + offset + at, sizeof entry);
            if (entry.d_tag == DT_RELACOUNT &&
                pwrite(file, &dynamic_entry, sizeof dynamic_entry, (off_t)(offset + at)) < 0)
                reject_image(strerror(errno));
        }
    }
}

/* Copies the image to a memory file, loads it from there by dlopen and returns the handle. The file stays open because
 * debug information is read from it. Failure ends the program. */
static void *load_image(const struct image *image)
{
    char path[40];
    const int file = memfd_create("device code", MFD_CLOEXEC);
    for (size_t nwritten = 0; nwritten < image->bytes;) {
        const ssize_t n = file < 0 ? -1 : write(file, image->start + nwritten, image->bytes - nwritten);
        if (n < 0)
            reject_image(strerror(errno));
        nwritten += (size_t)n;
    }
    bind_names_locally(image, file);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        reject_image(dlerror());
    return handle;
}

/* Returns the address of an entry in the image loaded as `handle`; NULL: the image lacks the entry. A constructor that
 * is local to its file is found through the symbol of its offloading entry, whose first word is the address. For a
 * function of clause indirect, the named variable holds the address. */
static void *find_entry_address(void *handle, const struct rt_image_entry *entry)
{
    char name[512];
    void *address = dlsym(handle, entry->name);
    if (!address && snprintf(name, sizeof name, ".omp_offloading.entry.%s", entry->name) < (int)sizeof name) {
        const void *copy = dlsym(handle, name);
        address = copy ? (void *)rt_load_word(copy) : NULL;
    }
    return address && entry->kind == RT_IMAGE_INDIRECT ? (void *)rt_load_word(address) : address;
}

/* Maps the file's pages at both addresses of a part (in the image and in device memory), which must be page-aligned.
 * Returns false on failure. */
static bool map_part_twice(const struct part *part, int file)
{
    assert(part->device % RT_PAGE_SIZE == 0 && part->start % RT_PAGE_SIZE == 0);
    const int protection = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_FIXED;
    return mmap((void *)(uintptr_t)part->device, part->bytes, protection, flags, file, 0) != MAP_FAILED &&
           mmap((void *)(uintptr_t)part->start, part->bytes, protection, flags, file, 0) != MAP_FAILED;
}

/* Returns a memory file with the contents of a part, sparse where pages are zero; the caller must close it. Returns -1
 * on failure. */
static int copy_part(const struct part *part)
{
    static const char zeros[RT_PAGE_SIZE];
    const int file = memfd_create("device variables", MFD_CLOEXEC);
    bool success = file >= 0 && !ftruncate(file, (off_t)part->bytes);
    for (uint64_t k = 0; success && k < part->bytes; k += RT_PAGE_SIZE) {
        const char *page = (const char *)(uintptr_t)(part->start + k);
        success = !memcmp(page, zeros, RT_PAGE_SIZE) || pwrite(file, page, RT_PAGE_SIZE, (off_t)k) == RT_PAGE_SIZE;
    }
    if (success || file < 0)
        return file;
    close(file);
    return -1;
}

/* Hook `fork` (tool/tool.h). Before the fork (RT_FORK_PREPARE), copies the pages with variables of all images to files.
 * In the child, maps these files in place of the pages that it shares with its parent. If either has failed, the child
 * ends with a report. */
static void handle_fork(enum rt_fork_phase phase)
{
    for (struct image *image = images; image; image = image->next)
        for (int device = 0; image->devices && device < rt.options.devices; device++)
            for (size_t i = 0; i < image->devices[device].nparts; i++) {
                struct part *part = &image->devices[device].parts[i];
                if (phase == RT_FORK_PREPARE)
                    part->copy = copy_part(part);
                if (phase == RT_FORK_CHILD && (part->copy < 0 || !map_part_twice(part, part->copy)))
                    reject_image("no memory for the variables of a process that was forked");
                if (phase != RT_FORK_PREPARE && part->copy >= 0)
                    close(part->copy);
            }
}

/* Gives the image's pages from `start` to `end`, both page-aligned, a second address in new memory of `device`, and
 * adds them to the parts. Does nothing for an empty range. Failure ends the program. */
static void share_pages(struct loaded_image *loaded_image, int device, uint64_t start, uint64_t end)
{
    assert(start % RT_PAGE_SIZE == 0 && end % RT_PAGE_SIZE == 0);
    struct part part = {.start = start, .bytes = end - start};
    uint64_t block;
    if (start >= end)
        return;
    if (!RT_RESERVE(rt_heap_realloc, loaded_image->parts, loaded_image->nparts, loaded_image->parts_capacity))
        rt_fatal("out-of-memory", "no memory for the program's device code");
    rt_check_status(accd_device_alloc(rt.context, device, part.bytes + RT_PAGE_SIZE, &block));
    part.device = rt_page_up(block);
    const int file = copy_part(&part);
    if (file < 0 || !map_part_twice(&part, file))
        reject_image(strerror(errno));
    close(file);
    loaded_image->parts[loaded_image->nparts++] = part;
    static bool is_added;
    if (!is_added)
        rt_add_tool(&(struct rt_tool){.name = "images", .fork = handle_fork});
    is_added = true;
}

/* Gives all writable pages of the loaded image a second address in memory of `device`, except the dynamic linker's
 * tables (PT_GNU_RELRO). Also sets the image's base. Failure ends the program. */
static void share_variables(const struct image *image, struct loaded_image *loaded_image, int device)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)image->start;
    const Elf64_Phdr *parts = (const Elf64_Phdr *)(const void *)(image->start + head->e_phoff);
    struct link_map *map;
    uint64_t tables = 0, tables_end = 0;
    if (dlinfo(loaded_image->handle, RTLD_DI_LINKMAP, &map))
        reject_image(dlerror());
    for (size_t i = 0; i < head->e_phnum; i++)
        if (parts[i].p_type == PT_GNU_RELRO) {
            tables = rt_page_down(map->l_addr + parts[i].p_vaddr);
            tables_end = rt_page_down(map->l_addr + parts[i].p_vaddr + parts[i].p_memsz);
        }
    loaded_image->base = map->l_addr;
    loaded_image->nparts = 0;
    for (size_t i = 0; i < head->e_phnum; i++) {
        if (parts[i].p_type != PT_LOAD || !(parts[i].p_flags & PF_W))
            continue;
        const uint64_t start = rt_page_down(map->l_addr + parts[i].p_vaddr),
                       end = rt_page_up(map->l_addr + parts[i].p_vaddr + parts[i].p_memsz);
        if (tables >= end || tables_end <= start) {
            share_pages(loaded_image, device, start, end);
        } else {
            share_pages(loaded_image, device, start, tables);
            share_pages(loaded_image, device, tables_end, end);
        }
    }
}

/* Returns the address in device memory for an address in the image; 0: the address is in no shared page. Then it is
 * that of a function or constant, or NULL. */
static uint64_t find_shared_address(const struct loaded_image *loaded_image, const void *address)
{
    for (size_t i = 0; i < loaded_image->nparts; i++)
        if ((uintptr_t)address - loaded_image->parts[i].start < loaded_image->parts[i].bytes)
            return (uintptr_t)address - loaded_image->parts[i].start + loaded_image->parts[i].device;
    return 0;
}

/* Calls all functions of the loaded image whose entries have this `kind`: RT_IMAGE_CONSTRUCTOR or RT_IMAGE_DESTRUCTOR.
 */
static void call_entries(const struct image *image, const struct loaded_image *loaded_image, unsigned kind)
{
    for (size_t i = 0; i < image->nentries; i++)
        if (image->entries[i].kind == kind && loaded_image->addresses[i])
            (*(void (*const *)(void)) & loaded_image->addresses[i])();
}

/* Makes all variables of an image present on a device, at their addresses in device memory. A variable that another
 * entry has mapped already is not an error; other errors end the program. */
static void map_entry(const struct image *image, const struct loaded_image *loaded_image, int device)
{
    for (size_t i = 0; i < image->nentries; i++) {
        const struct rt_image_entry *entry = &image->entries[i];
        const uint64_t at = find_shared_address(loaded_image, loaded_image->addresses[i]);
        if (!entry->bytes || !at)
            continue;
        accd_item item = {.host = entry->host, .bytes = entry->bytes};
        item.label = accd_label_intern(rt.context, &(accd_label){.name = entry->name});
        if (rt.names_eagerly)
            rt_resolve_item_label(&item);
        const accd_status status = accd_map_data(rt.context, device, entry->host, at, entry->bytes, item.label);
        if (status != ACCD_ERROR_ALREADY_PRESENT)
            rt_check_status(status);
    }
}

/* Returns the byte of the image as compiled that dlopen loads at `address`; 0: the file has no byte for this address.
 */
static char read_file_byte(const struct image *image, const struct loaded_image *loaded_image, uint64_t address)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)image->start;
    const Elf64_Phdr *parts = (const Elf64_Phdr *)(const void *)(image->start + head->e_phoff);
    const Elf64_Phdr *part = rt_find_segment(parts, head->e_phnum, loaded_image->base, address, 1, 0);
    const uint64_t offset = part ? address - loaded_image->base - part->p_vaddr : 0;
    return part && offset < part->p_filesz ? image->start[part->p_offset + offset] : 0;
}

/* Reports the initial value of the variable of entry i to the checks (hook `map_declared`). fresh: the image was loaded
 * now. The value is that in the image, except for words that the loader or a constructor has changed. These hold
 * addresses, or results that the host's constructors compute too, so that the host's words are reported. If the image
 * was loaded before, the whole value is the host's. Ends the program without memory. */
static void notify_initial_value(const struct image *image, const struct loaded_image *loaded_image, int device,
                                 size_t i, bool fresh)
{
    assert(image->entries[i].bytes > 0);
    const struct rt_image_entry *entry = &image->entries[i];
    const uint64_t at = (uintptr_t)loaded_image->addresses[i];
    char *initial = malloc(entry->bytes);
    if (!initial)
        rt_fatal("out-of-memory", "no memory for the variables of a device");
    memcpy(initial, fresh ? (const char *)loaded_image->addresses[i] : entry->host, entry->bytes);
    for (uint64_t k = 0, n; fresh && k < entry->bytes; k += n) {
        bool is_changed = false;
        for (n = 0; k + n < entry->bytes && (!n || (at + k + n) % sizeof(void *)); n++)
            is_changed |= initial[k + n] != read_file_byte(image, loaded_image, at + k + n);
        if (is_changed)
            memcpy(initial + k, (const char *)entry->host + k, n);
    }
    RT_CALL_HOOKS(map_declared, device, entry->host, initial, entry->bytes);
    free(initial);
}

/* Returns true if entry i is a variable of the image with a place in device memory, not a pointer of clause link. */
static bool is_variable(const struct image *image, const struct loaded_image *loaded_image, size_t i)
{
    return image->entries[i].bytes && image->entries[i].kind != RT_IMAGE_LINK &&
           find_shared_address(loaded_image, loaded_image->addresses[i]);
}

/* Opens an image on a device: gives its variables addresses in device memory and makes them present. fresh: the image
 * was never loaded, so it is loaded first, and its constructors run at the end. Failure ends the program. */
static void open_image_on_device(struct image *image, int device, bool fresh)
{
    assert(rt.context && device >= 0 && device < rt.options.devices);
    struct loaded_image *loaded_image = &image->devices[device];
    if (fresh) {
        loaded_image->handle = load_image(image);
        loaded_image->addresses = calloc(image->nentries + 1, sizeof *loaded_image->addresses);
        for (size_t i = 0; loaded_image->addresses && i < image->nentries; i++)
            loaded_image->addresses[i] = find_entry_address(loaded_image->handle, &image->entries[i]);
    }
    if (!loaded_image->addresses)
        reject_image(strerror(ENOMEM));
    share_variables(image, loaded_image, device);
    map_entry(image, loaded_image, device);
    if (fresh)
        call_entries(image, loaded_image, RT_IMAGE_CONSTRUCTOR);
    for (size_t i = 0; RT_HAS_HOOK(map_declared) && i < image->nentries; i++)
        if (is_variable(image, loaded_image, i)) {
            has_variables = true;
            notify_initial_value(image, loaded_image, device, i, fresh);
        }
}

/* Opens each image that is not open in the context rt.context, on all devices. */
void rt_load_images(void)
{
    for (struct image *image = images; image; image = image->next) {
        const bool fresh = !image->devices;
        if (image->open == rt.context)
            continue;
        image->open = rt.context;
        if (fresh)
            image->devices = calloc((size_t)rt.options.devices, sizeof *image->devices);
        for (int device = 0; image->devices && device < rt.options.devices; device++)
            open_image_on_device(image, device, fresh);
    }
}

static atomic_bool any_removed; /* true once an image was removed */

/* Returns true once an image was removed. */
bool rt_has_removed_image(void)
{
    return any_removed;
}

/* Removes the images of `owner`: runs their destructors, unmaps their variables and frees their records. If an error
 * ends the program, or if the calling thread has the lock, only records that an image was removed. */
void rt_image_remove(const void *owner)
{
    any_removed = true;
    if (rt.is_ending || !rt_lock())
        return;
    for (struct image **at = &images, *image; (image = *at);) {
        if (image->owner != owner) {
            at = &image->next;
            continue;
        }
        *at = image->next;
        for (int device = 0; image->devices && device < rt.options.devices; device++) {
            call_entries(image, &image->devices[device], RT_IMAGE_DESTRUCTOR);
            for (size_t i = 0; rt.context && image->open == rt.context && i < image->nentries; i++)
                if (find_shared_address(&image->devices[device], image->devices[device].addresses[i])) {
                    RT_CALL_HOOKS(map_declared, device, image->entries[i].host, NULL, image->entries[i].bytes);
                    accd_unmap_data(rt.context, device, image->entries[i].host);
                }
            free(image->devices[device].addresses); /* the code itself stays loaded, because a kernel may still run */
            free(image->devices[device].parts);
        }
        free(image->devices);
        free(image->entries);
        free(image);
    }
    rt_unlock();
}

/* -------------------------------------------------------------------------------------- look-up --
 */

/* Returns true if a loaded image of a checked run has variables. */
bool rt_has_image_variables(void)
{
    return has_variables;
}

/* Returns the address, in the image on `device`, of the function whose placeholder on the host is `host`; NULL: no
 * loaded image has the function. */
void *rt_find_image_function(int device, const void *host)
{
    const struct rt_image_entry key = {.host = host};
    for (const struct image *image = images; image; image = image->next) {
        const struct rt_image_entry *entry = bsearch(&key, image->entries, image->nentries, sizeof key, compare_hosts);
        if (entry && image->devices)
            return image->devices[device].addresses[entry - image->entries];
    }
    return NULL;
}

/* Stores in *variable_p the variable that contains the address `at` of an image on `device`. Returns false if no
 * variable contains this address. */
bool rt_find_image_variable(int device, uint64_t at, struct rt_image_variable *variable_p)
{
    assert(device >= 0 && variable_p);
    for (const struct image *image = images; image; image = image->next) {
        const struct loaded_image *loaded_image = image->devices ? &image->devices[device] : NULL;
        for (size_t i = 0;
             loaded_image && find_shared_address(loaded_image, (const void *)(uintptr_t)at) && i < image->nentries; i++)
            if (at - (uintptr_t)loaded_image->addresses[i] < image->entries[i].bytes &&
                is_variable(image, loaded_image, i)) {
                *variable_p = (struct rt_image_variable){
                    .at = (uintptr_t)loaded_image->addresses[i],
                    .host = (uintptr_t)image->entries[i].host,
                    .device = find_shared_address(loaded_image, loaded_image->addresses[i]),
                    .bytes = image->entries[i].bytes,
                };
                return true;
            }
    }
    return false;
}

/* Calls `use` for each variable of the images on `device` whose address the code of `fn` may contain. */
void rt_for_each_used_image_variable(int device, const void *fn, void (*use)(int device, uint64_t host, uint64_t bytes))
{
    assert(fn && use);
    for (const struct image *image = images; image; image = image->next) {
        const struct loaded_image *loaded_image = image->devices ? &image->devices[device] : NULL;
        for (size_t i = 0; loaded_image && i < image->nentries; i++)
            if (is_variable(image, loaded_image, i) &&
                rt_code_references(fn, (uintptr_t)loaded_image->addresses[i], image->entries[i].bytes))
                use(device, (uintptr_t)image->entries[i].host, image->entries[i].bytes);
    }
}

/* Returns true if a host address lies in a variable of an image. */
bool rt_is_image_variable(uint64_t host)
{
    for (const struct image *image = images; image; image = image->next)
        for (size_t i = 0; i < image->nentries; i++)
            if (image->entries[i].bytes && host - (uintptr_t)image->entries[i].host < image->entries[i].bytes)
                return true;
    return false;
}
