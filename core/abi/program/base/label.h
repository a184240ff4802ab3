/* label.h - labels of mapped data: names, lines and layouts. */
#ifndef RT_LABEL_H
#define RT_LABEL_H

#include "runtime.h"

/* Returns the label of the current call for data whose names are looked up only when reported, as a label for each
 * object would cost too much. */
const accd_label *rt_get_site_label(void);
/* Looks up the name of an item's data and gives the item its own label and the start of the named section. */
void rt_resolve_item_label(accd_item *item);
/* True if a name is that of a private copy made by the compiler. */
bool rt_is_private_copy_name(const char *name);
/* Sets whether the current directive repeats an earlier one, so that names can be reused. */
void rt_set_label_reuse(bool repeats);
/* Labels an item, with its own name if names are needed at once. */
static inline void rt_label_item(accd_item *item, const accd_label *label)
{
    item->label = label;
    if (__builtin_expect(rt.names_eagerly, 0))
        rt_resolve_item_label(item);
}
static inline void rt_label_item_at_site(accd_item *item)
{
    rt_label_item(item, rt_get_site_label());
}
/* Adds the layout of an item's mapping program to its label: bytes outside the program are not present. */
void rt_add_label_layout(accd_item *item);
void rt_clear_labels(void); /* frees all labels, after the context */

#endif
