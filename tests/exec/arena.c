/* The memory that stays open against a model: random growing, shrinking and freeing. */
#include "../tap.h"

#include <lib/arena.h>

#include <stdbool.h>

enum { BLOCKS = 2000, STEPS = 400000 };

static struct block {
    unsigned char *at;
    size_t bytes;
    unsigned char mark;
} blocks[BLOCKS];

static uint64_t state = 20240229;

static size_t pick(size_t n) /* less than n */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

/* Mostly small, now and then larger than the largest class. */
static size_t pick_size(void)
{
    static const size_t most[] = {16, 64, 256, 1024, 8192, 40000, 300000};
    return 1 + pick(most[pick(64) ? pick(5) : 4 + pick(3)]);
}

static bool holds(const struct block *b, size_t n)
{
    for (size_t i = 0; i < n; i += i < 64 || i + 64 > n ? 1 : 37)
        if (b->at[i] != b->mark)
            return false;
    return true;
}

static bool in_open_pages(const void *at, size_t bytes)
{
    static struct rt_range pages[4096];
    size_t n = rt_arena_list_pages(pages, 4096);
    for (size_t i = 0; i < n; i++)
        if ((uintptr_t)at >= pages[i].start &&
            (uintptr_t)at + bytes <= pages[i].start + pages[i].bytes)
            return true;
    return false;
}

static void change(struct block *b, size_t bytes)
{
    size_t kept = b->bytes < bytes ? b->bytes : bytes;
    must(holds(b, b->bytes), "block of %zu bytes keeps what was written", b->bytes);
    b->at = rt_arena_realloc(NULL, b->at, b->bytes, bytes);
    must((b->at != NULL) == (bytes != 0), "block for %zu bytes", bytes);
    must((uintptr_t)b->at % 16 == 0, "alignment of a block of %zu bytes", bytes);
    must(holds(b, kept), "%zu bytes kept from %zu to %zu", kept, b->bytes, bytes);
    b->bytes = bytes;
    b->mark = (unsigned char)pick(256);
    if (bytes)
        memset(b->at, b->mark, bytes);
}

static int by_address(const void *x, const void *y)
{
    const struct block *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

static void is_consistent(void)
{
    qsort(blocks, BLOCKS, sizeof blocks[0], by_address);
    for (size_t i = 0; i < BLOCKS; i++) {
        must(!blocks[i].at || in_open_pages(blocks[i].at, blocks[i].bytes),
             "block of %zu bytes lies in the pages told", blocks[i].bytes);
        must(i == 0 || !blocks[i].at || blocks[i - 1].at + blocks[i - 1].bytes <= blocks[i].at,
             "blocks are disjoint");
    }
}

int main(void)
{
    for (size_t i = 0; i < STEPS; i++) {
        struct block *b = &blocks[pick(BLOCKS)];
        change(b, b->bytes && pick(3) == 0 ? 0 : pick_size());
        if (i % 20000 == 0)
            is_consistent();
    }
    is_consistent();
    ok(true, "%d random operations on %d blocks", STEPS, BLOCKS);

    size_t before = rt_arena_list_pages(NULL, 0);
    for (size_t i = 0; i < BLOCKS; i++)
        change(&blocks[i], 0);
    ok(rt_arena_list_pages(NULL, 0) < before, "large blocks go back to the system");
    for (size_t i = 0; i < BLOCKS; i++)
        change(&blocks[i], 1 + i % 512);
    before = rt_arena_list_pages(NULL, 0);
    for (size_t i = 0; i < BLOCKS; i++)
        change(&blocks[i], 0);
    for (size_t i = BLOCKS; i-- > 0;)
        change(&blocks[i], 1 + i % 512);
    is_number(rt_arena_list_pages(NULL, 0), before, "small blocks are used again");

    const uint64_t page = UINT64_C(0x7f0000001000);
    ok(rt_page_down(page) == page && rt_page_up(page) == page && rt_page_down(page - 1) == page - RT_PAGE_SIZE &&
           rt_page_up(page + 1) == page + RT_PAGE_SIZE,
       "addresses are rounded to pages");
    must(!rt_arena_realloc(NULL, NULL, 0, SIZE_MAX), "more memory than there is");
    must(!rt_arena_realloc(NULL, NULL, 0, 0), "nothing of nothing");
    unsigned char *large = rt_arena_realloc(NULL, NULL, 0, 100000);
    large[0] = 42;
    must(!rt_arena_realloc(NULL, large, 100000, SIZE_MAX / 2), "more memory than there is");
    ok(large[0] == 42, "a block that cannot grow is as it was");
    return done();
}
