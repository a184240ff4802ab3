/* advice.h - `accdeep exec --advice`: which transfers and allocations of a plain run could be left out, and what they
 * cost by a link of a given speed. advice.c observes them; advice_report.c writes the findings at the end. */
#ifndef RT_ADVICE_H
#define RT_ADVICE_H

#include "tool/tool.h"

/* Link between host and device: bytes that it moves in a second, and nanoseconds that each transfer or allocation
 * takes besides. */
struct rt_link {
    uint64_t bytes_per_second, latency;
};

/* Kinds of waste. SEND, FETCH: both sides had the bytes already. RESEND: the device had the bytes when the data were
 * unmapped last. ALLOC: the data were allocated before from the same call, and freed. */
enum rt_waste { RT_WASTE_SEND, RT_WASTE_FETCH, RT_WASTE_RESEND, RT_WASTE_ALLOC, RT_WASTE_COUNT };

/* Number of operations, and their bytes. */
struct rt_amount {
    uint64_t n, bytes;
};

/* Operations of the calls that return to `pc` on the data at a host address. */
struct rt_traffic {
    struct rt_traffic *next;
    uintptr_t pc;
    uint64_t host;
    struct rt_amount sent, fetched, allocated, wasted[RT_WASTE_COUNT];
    uint64_t freed;   /* allocations that were freed, and not allocated again */
    char *name;       /* name of the data; NULL: nothing was wasted */
    bool has_section; /* `name` has the bounds of a section, if the data are one */
};

/* Observations of a run. traffic: list of ntraffic elements. peak: greatest number of bytes of device memory in use,
 * reached in the call that returns to peak_pc. */
struct rt_advice_totals {
    struct rt_traffic *traffic;
    size_t ntraffic;
    struct rt_amount sent, fetched, allocated;
    uint64_t nskipped; /* operations and comparisons that were left out to save time */
    uint64_t peak;
    uintptr_t peak_pc;
};

extern const struct rt_tool rt_advice_tool;

/* Reads the link of ACCDEEP_ADVICE, "BYTES_PER_SECOND,NANOSECONDS". Returns false if the variable is unset or empty,
 * which means no advice. Any other text ends the program. */
bool rt_read_advice_link(void);
/* Reports all waste, the most expensive first, then the peak of device memory and the predicted time of the link. */
void rt_report_advice(const struct rt_link *link, const struct rt_advice_totals *totals);

#endif
