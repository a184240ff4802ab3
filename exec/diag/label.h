/* label.h - labels of mapped data. A label has the data's name, the line that mapped them, and their layout. */
#ifndef RT_LABEL_H
#define RT_LABEL_H

#include "base/runtime.h"

/* Returns the lazy label of the current call: the names of its data are looked up only when reported, as a label for
 * each object would cost too much. Ends the program without memory. */
const accd_label *rt_get_site_label(void);
/* Looks up the name of an item's data. If the name is found, gives the item a label with this name, and sets
 * item->start to the index of the first element of the named section. Otherwise the item keeps its label. */
void rt_resolve_item_label(accd_item *item);
/* Returns true if a label's name is "firstprivate of ...", which label.c gives to private copies made by the
 * compiler. */
bool rt_is_private_copy_name(const char *name);
/* Sets whether the current directive repeats an earlier one, so that the names of its items can be taken from a
 * cache. */
void rt_set_label_reuse(bool repeats);
/* Gives an item the label `label`, or one with the name of its data if names are needed at once (rt.names_eagerly). */
static inline void rt_label_item(accd_item *item, const accd_label *label)
{
    item->label = label;
    if (__builtin_expect(rt.names_eagerly, 0))
        rt_resolve_item_label(item);
}
/* Gives an item the label of the current call, or one with the name of its data if names are needed at once. */
static inline void rt_label_item_at_site(accd_item *item)
{
    rt_label_item(item, rt_get_site_label());
}
/* Gives an item a label that also has the layout of the item's mapping program (the bytes of the range that are
 * mapped). Reports then treat bytes outside the program as absent. Ends the program without memory. */
void rt_add_label_layout(accd_item *item);
void rt_clear_labels(void); /* forgets all labels; called after the context, which owns them, was freed */

#endif
