/* image.h - device code (images) that clang has compiled for this machine and embedded in a program or library. */
#ifndef RT_IMAGE_H
#define RT_IMAGE_H

#include "base/runtime.h"

/* Entry of an image: function or variable that exists on the host and in the image. */
struct rt_image_entry {
    const void *host; /* address of the variable, or the function's placeholder on the host */
    const char *name; /* name in the image */
    uint64_t bytes;   /* size of the variable; 0: the entry is a function */
    enum {
        RT_IMAGE_PLAIN,
        RT_IMAGE_CONSTRUCTOR,
        RT_IMAGE_DESTRUCTOR,
        RT_IMAGE_LINK,    /* `name` is the name of a pointer to data that a clause maps */
        RT_IMAGE_INDIRECT /* `name` is the name of a variable in the image with the function's address */
    } kind;
};

/* Registers an image: the device code of `bytes` bytes at `start`, of the program or library `owner`. `entries` are its
 * functions and variables, in memory of malloc that the image then owns. The image is loaded for each device when a
 * context is opened, or by rt_load_images. The lock must not be held. Ends the program without memory. */
void rt_image_add(const void *owner, const char *start, size_t bytes, struct rt_image_entry *entries, size_t nentries);
/* Removes all images of `owner`: runs their destructors and unmaps their variables. If an error ends the program, or if
 * the calling thread has the lock, only records that an image was removed. */
void rt_image_remove(const void *owner);
/* returns true once an image was removed, because the program ends or has unloaded a library */
bool rt_has_removed_image(void);

/* Loads images added since the last call and makes their variables present. The lock must be held and a context must be
 * open. Failure ends the program. */
void rt_load_images(void);

/* Returns true if a loaded image has variables, and a tool has the hook `map_declared`. */
bool rt_has_image_variables(void);
/* Returns the address in the image of `device` for the host's placeholder of a function; NULL: no image has the
 * function. */
void *rt_find_image_function(int device, const void *host);
/* Variable of an image on a device. at: its address in the image, by which the image's code uses it. device: its
 * address in device memory, by which the core transfers it. host: its address on the host. bytes: its size. */
struct rt_image_variable {
    uint64_t at, host, device, bytes;
};
/* Stores in *variable_p the variable that contains the address `at` of an image on `device`. Returns false if no
 * variable contains it. */
bool rt_find_image_variable(int device, uint64_t at, struct rt_image_variable *variable_p);
/* Calls use(device, host address, bytes) for each variable of the images on `device` that the code of the function `fn`
 * may use (rt_code_references). `fn` must not be NULL. */
void rt_for_each_used_image_variable(int device, const void *fn,
                                     void (*use)(int device, uint64_t host, uint64_t bytes));
/* Returns true if a host address lies in a variable of an image; such variables stay present. */
bool rt_is_image_variable(uint64_t host);

#endif
