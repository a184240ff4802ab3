/* image.h - device code of a program or library, as its compiler put it into the file for this
 * machine. */
#ifndef RT_IMAGE_H
#define RT_IMAGE_H

#include "abi/program/base/runtime.h"

/* A function or variable that host and image have. */
struct rt_image_entry {
    const void *host; /* the variable, or what stands for the function */
    const char *name; /* in the image */
    uint64_t bytes;   /* of the variable; 0: a function */
    enum {
        RT_IMAGE_PLAIN,
        RT_IMAGE_CONSTRUCTOR,
        RT_IMAGE_DESTRUCTOR,
        RT_IMAGE_LINK,    /* name is a pointer to what a clause maps */
        RT_IMAGE_INDIRECT /* name is a variable of the image that holds the function's address */
    } kind;
};

/* Without the lock. owner names it to remove it. entries are of malloc, and taken. An image is
 * loaded when a device is used: for each device once, so that each has variables of its own. */
void rt_image_add(const void *owner, const char *start, size_t bytes, struct rt_image_entry *entries, size_t nentries);
void rt_image_remove(const void *owner);
bool rt_has_removed_image(void); /* the program ends, or has unloaded a library */

/* With the lock: loads images that were added, and makes their variables present. A context is
 * open. */
void rt_load_images(void);

/* Whether there are images with variables. */
bool rt_has_image_variables(void);
/* A device's function for what stands for it on the host; NULL: there is none. */
void *rt_find_image_function(int device, const void *host);
/* A variable of an image on a device: its address in the image, on the host, and in the device's memory. */
struct rt_image_variable {
    uint64_t at, host, device, bytes;
};
/* The one at an address in the image; false: there is none. */
bool rt_find_image_variable(int device, uint64_t at, struct rt_image_variable *variable_p);
/* Those that a function of an image may use. */
void rt_for_each_used_image_variable(int device, const void *fn,
                                     void (*use)(int device, uint64_t host, uint64_t bytes));
/* Whether the host's address is one of a variable of an image, which stays present. */
bool rt_is_image_variable(uint64_t host);

#endif
