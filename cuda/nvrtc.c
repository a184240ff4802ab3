/* nvrtc.c - compiles texts to images for a GPU. The library is searched once, and images are cached for the life of the
 * process, because each case of a scenario opens a new context, but texts stay the same. */
#include "base/mem.h"
#include "driver.h"
#include "nvrtc.h"

#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CACHED_IMAGES: number of entries of the image cache, a hash table without chains. MAX_ARCHS: greatest number of
 * architectures that the compiler may list. */
enum { CACHED_IMAGES = 256, MAX_ARCHS = 64 };

/* State of the process. All members are guarded by `lock`. */
static struct {
    pthread_mutex_t lock;
    bool searched; /* true once the library has been searched; nvrtcVersion is then NULL if none is usable */
#define X(symbol, parameters) nv_result(*symbol) parameters; /* NOLINT(bugprone-macro-parentheses): no expressions */
    ACCD_NVRTC_REQUIRED(X)
    ACCD_NVRTC_OPTIONAL(X)
#undef X
    const char *(*nvrtcGetErrorString)(nv_result error);
    char version[200]; /* name and version of the compiler, or the reason why there is none */
    int archs[MAX_ARCHS], narchs;
    struct cached_images {
        char *text, *bytes;
        int capability;
        size_t n;
    } cached_images[CACHED_IMAGES];
} nvrtc = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---------------------------------------------------------------------------------- finding -- */

/* Opens and returns the newest NVRTC library that is not newer than the driver, because the driver may refuse images
 * of a newer one. Tries the system's search path first. `driver`: version of the driver, 12040 for CUDA 12.4. NULL:
 * no library is found. */
static void *open_nvrtc_library(int driver)
{
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/", "/opt/cuda/lib64/"};
    static const char *const versions[] = {"13", "12", "11.2", "11.1", "11.0"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        for (size_t k = 0; k < sizeof versions / sizeof versions[0]; k++) {
            char path[80];
            snprintf(path, sizeof path, "%slibnvrtc.so.%s", folders[i], versions[k]);
            void *library = atoi(versions[k]) <= driver / 1000 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
            if (library)
                return library;
        }
    }
    return NULL;
}

/* Stores the entry points of the library in `nvrtc`; returns false if a required one is missing. */
static bool find_symbols(void *library)
{
#define X(symbol, parameters)                                     \
    if (!accd__cuda_find_symbol(library, #symbol, &nvrtc.symbol)) \
        return false;
    ACCD_NVRTC_REQUIRED(X)
#undef X
#define X(symbol, parameters) accd__cuda_find_symbol(library, #symbol, &nvrtc.symbol);
    ACCD_NVRTC_OPTIONAL(X)
#undef X
    return accd__cuda_find_symbol(library, "nvrtcGetErrorString", &nvrtc.nvrtcGetErrorString);
}

/* Loads the library for a driver of version `driver` at the first call. Returns true if the library is usable;
 * nvrtc.version then has its name and version, otherwise the reason why not. The caller must hold `lock`. */
static bool load_library(int driver)
{
    assert(pthread_mutex_trylock(&nvrtc.lock) != 0);
    int major = 0, minor = 0;
    if (nvrtc.searched)
        return nvrtc.nvrtcVersion;
    nvrtc.searched = true;
    void *library = open_nvrtc_library(driver);
    if (!library)
        snprintf(nvrtc.version, sizeof nvrtc.version, "no NVRTC for CUDA %d.%d is installed", driver / 1000,
                 driver % 1000 / 10);
    else if (!find_symbols(library) || nvrtc.nvrtcVersion(&major, &minor) != NV_OK)
        snprintf(nvrtc.version, sizeof nvrtc.version, "the NVRTC that is installed is not usable");
    else
        snprintf(nvrtc.version, sizeof nvrtc.version, "NVRTC %d.%d", major, minor);
    if (!major) {
        nvrtc.nvrtcVersion = NULL;
        return false;
    }
    if (nvrtc.nvrtcGetCUBIN && nvrtc.nvrtcGetCUBINSize && nvrtc.nvrtcGetSupportedArchs &&
        nvrtc.nvrtcGetNumSupportedArchs &&
        (nvrtc.nvrtcGetNumSupportedArchs(&nvrtc.narchs) != NV_OK || nvrtc.narchs > MAX_ARCHS ||
         nvrtc.nvrtcGetSupportedArchs(nvrtc.archs) != NV_OK))
        nvrtc.narchs = 0;
    return true;
}

/* Writes the compiler's name and version to `version` (`capacity` bytes) and returns 1; or writes the reason why
 * there is no compiler, and returns 0. */
int accd__nvrtc_get_version(int driver, char *version, size_t capacity)
{
    pthread_mutex_lock(&nvrtc.lock);
    bool found = load_library(driver);
    snprintf(version, capacity, "%s", nvrtc.version);
    pthread_mutex_unlock(&nvrtc.lock);
    return found;
}

/* -------------------------------------------------------------------------------- compiling -- */

/* Returns the newest architecture known to the compiler that a GPU of this compute capability supports; 0: the compiler
 * lists none. */
static int architecture(int capability)
{
    int best = 0;
    for (int i = 0; i < nvrtc.narchs; i++)
        if (nvrtc.archs[i] <= capability && nvrtc.archs[i] > best)
            best = nvrtc.archs[i];
    return best;
}

/* Sets image->why to a text that says that the compiler's function `call` failed with `result`. */
static void set_reason(struct accd__image *image, nv_result result, const char *call)
{
    snprintf(image->why, sizeof image->why, "%s in %s", nvrtc.nvrtcGetErrorString(result), call);
}

/* Stores the compiler's log of `program` in *image; returns false if there is no log, or no memory. */
static bool read_compile_log(struct accd__mem *mem, nv_program program, struct accd__image *image)
{
    if (nvrtc.nvrtcGetProgramLogSize(program, &image->nlog) != NV_OK || !image->nlog)
        return false;
    image->log = accd__mem_alloc_zeroed(mem, image->nlog);
    return image->log && nvrtc.nvrtcGetProgramLog(program, image->log) == NV_OK;
}

/* Compiles `text` for a compute capability, and sets *image to the image, the compiler's log, or the reason of a
 * failure. Requires that the library is loaded. */
static void compile_text(struct accd__mem *mem, int capability, const char *text, struct accd__image *image)
{
    assert(nvrtc.nvrtcVersion);
    int arch = architecture(capability);
    bool whole =
        arch && arch == capability; /* true: the image is machine code; false: PTX, which the driver translates */
    char target[40];
    /* multiply-adds are not fused, because fused ones would give other results than the host */
    const char *options[] = {"--fmad=false", "-lineinfo", target};
    nv_program program = NULL;
    snprintf(target, sizeof target, "--gpu-architecture=%s_%d", whole ? "sm" : "compute", arch ? arch : 52);
    nv_result result = nvrtc.nvrtcCreateProgram(&program, text, "accd_body.cu", 0, NULL, NULL);
    if (result != NV_OK) {
        set_reason(image, result, "nvrtcCreateProgram");
        return;
    }
    const char *call = "nvrtcCompileProgram";
    result = nvrtc.nvrtcCompileProgram(program, 3, options);
    if (result == NV_COMPILATION && read_compile_log(mem, program, image)) {
        (void)nvrtc.nvrtcDestroyProgram(&program);
        return;
    }
    if (result == NV_OK) {
        call = whole ? "nvrtcGetCUBIN" : "nvrtcGetPTX";
        result = (whole ? nvrtc.nvrtcGetCUBINSize : nvrtc.nvrtcGetPTXSize)(program, &image->n);
    }
    if (result == NV_OK) {
        image->bytes = accd__mem_alloc(mem, image->n);
        if (image->bytes)
            result = (whole ? nvrtc.nvrtcGetCUBIN : nvrtc.nvrtcGetPTX)(program, image->bytes);
        else
            snprintf(image->why, sizeof image->why, "no memory for what NVRTC made");
    }
    if (result != NV_OK) {
        set_reason(image, result, call);
        accd__mem_free(mem, image->bytes, image->n);
        image->bytes = NULL;
    }
    (void)nvrtc.nvrtcDestroyProgram(&program);
}

/* Returns the only entry of the cache that may contain the image of `text` for a compute capability. The entry may be
 * empty, or hold the image of another text. */
static struct cached_images *cache_slot_of(const char *text, int capability)
{
    uint64_t hash = 1469598103934665603u ^ (uint64_t)capability; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return &nvrtc.cached_images[(hash ^ hash >> 32) % CACHED_IMAGES];
}

/* Replaces an entry of the cache by copies of `text` and of its image for a compute capability. Without memory the
 * entry stays unchanged. */
static void cache_image(struct cached_images *cached_images, int capability, const char *text,
                        const struct accd__image *image)
{
    assert(image->bytes && image->n > 0);
    char *bytes = malloc(image->n), *copy = strdup(text);
    if (!bytes || !copy) {
        free(bytes);
        free(copy);
        return;
    }
    memcpy(bytes, image->bytes, image->n);
    free(cached_images->bytes);
    free(cached_images->text);
    *cached_images = (struct cached_images){copy, bytes, capability, image->n};
}

/* Sets *image to the cached or newly compiled image of `text` for a compute capability. Without an image, sets the
 * compiler's log or the reason instead. `driver`: version of the driver. */
void accd__nvrtc_compile(struct accd__mem *mem, int driver, int capability, const char *text, struct accd__image *image)
{
    *image = (struct accd__image){0};
    pthread_mutex_lock(&nvrtc.lock);
    struct cached_images *cached_images = cache_slot_of(text, capability);
    bool found = cached_images->text && cached_images->capability == capability && !strcmp(cached_images->text, text);
    if (!load_library(driver)) {
        snprintf(image->why, sizeof image->why, "%s", nvrtc.version);
    } else if (found) {
        image->bytes = accd__mem_alloc(mem, cached_images->n);
        image->n = cached_images->n;
        if (image->bytes)
            memcpy(image->bytes, cached_images->bytes, cached_images->n);
        else
            snprintf(image->why, sizeof image->why, "no memory for an image");
    } else {
        compile_text(mem, capability, text, image);
        if (image->bytes)
            cache_image(cached_images, capability, text, image);
    }
    pthread_mutex_unlock(&nvrtc.lock);
}
