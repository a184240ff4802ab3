/* image.h - device code of a program or library, as its compiler put it into the file for this
 * machine. */
#ifndef GOACC_IMAGE_H
#define GOACC_IMAGE_H

#include "abi/program/base/runtime.h"

/* A function or variable that host and image have. */
struct goacc_image_entry {
    const void *host; /* the variable, or what stands for the function */
    const char *name; /* in the image */
    uint64_t bytes;   /* of the variable; 0: a function */
    enum {
        GOACC_IMAGE_PLAIN,
        GOACC_IMAGE_CONSTRUCTOR,
        GOACC_IMAGE_DESTRUCTOR,
        GOACC_IMAGE_LINK,    /* name is a pointer to what a clause maps */
        GOACC_IMAGE_INDIRECT /* name is a variable of the image that holds the function's address */
    } kind;
};

/* Without the lock. owner names it to remove it. entries are of malloc, and taken. An image is
 * loaded when a device is used: for each device once, so that each has variables of its own. */
void goacc_image_add(const void *owner, const char *start, size_t bytes,
                     struct goacc_image_entry *entries, size_t nentries);
void goacc_image_remove(const void *owner);
bool goacc_image_is_removed(void); /* the program ends, or has unloaded a library */

/* With the lock: loads images that were added, and makes their variables present. A context is
 * open. */
void goacc_images_open(void);

/* Whether there are images with variables. */
bool goacc_image_has_variables(void);
/* A device's function for what stands for it on the host; NULL: there is none. */
void *goacc_image_function(int device, const void *host);
/* A variable of an image on a device: its address in the image, on the host, and in the device's memory. */
struct goacc_image_variable {
    uint64_t at, host, device, bytes;
};
/* The one at an address in the image; false: there is none. */
bool goacc_image_variable_at(int device, uint64_t at, struct goacc_image_variable *variable_p);
/* Those that a function of an image may use. */
void goacc_image_each_used(int device, const void *fn, void (*use)(int device, uint64_t host, uint64_t bytes));
/* Whether the host's address is one of a variable of an image, which stays present. */
bool goacc_image_holds(uint64_t host);

#endif
