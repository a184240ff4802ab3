/* compiler_facts.h - what gcc does with variables of compute constructs beyond the interface of its entry points. A new
 * version of the compiler that does it differently is a change here. */
#ifndef RT_COMPILER_FACTS_H
#define RT_COMPILER_FACTS_H

#include "runtime.h"

#include <string.h>

enum {
    /* bytes of the largest scalar (complex of double): gcc passes a private one to an OpenACC compute construct like
       data of a copyin clause */
    RT_PRIVATE_SCALAR_MAX = 16,
    /* bytes of the largest variable that gcc may read before an OpenACC kernel begins, to pass it by value */
    RT_BY_VALUE_MAX = 64,
    /* bytes above the stack pointer of a call that hold the copies of private scalars, if gcc has made them */
    RT_PRIVATE_COPIES_REACH = 8 << 20
};

/* Returns true if the call at `site` is a compute construct of OpenACC; NULL: no call is under way. */
static inline bool rt_is_acc_compute(const struct rt_site *site)
{
    return site && !strcmp(site->construct_name, "compute");
}

/* Returns true if a variable of `bytes` bytes in the construct at `site` (NULL: none) may be private, although it
 * arrives like data of a copyin clause. */
static inline bool rt_may_be_private_scalar(const struct rt_site *site, uint64_t bytes)
{
    return bytes <= RT_PRIVATE_SCALAR_MAX && rt_is_acc_compute(site);
}

/* Returns true if gcc may pass a variable of `bytes` bytes in the construct at `site` (NULL: none) to the kernel by
 * value, whatever the clause. The program may then change the variable without a wait. */
static inline bool rt_may_pass_by_value(const struct rt_site *site, uint64_t bytes)
{
    return bytes <= RT_BY_VALUE_MAX && rt_is_acc_compute(site);
}

#endif
