/* Groups whose sections lie far apart, or so near to each other that the map cannot tell them apart. */
#include "support.h"

#include <sys/mman.h>

enum { LEAVES = 200, LENGTH = 5, PAGE = 4096 };

/* Sections at the ends of a 4 GiB of address space; in between many that touch. */
static void far_and_near(size_t group_least)
{
    const size_t space = (size_t)1 << 32;
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, "tr14", group_least);
    char *base = mmap(NULL, space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!ok(base != MAP_FAILED, "address space"))
        return;
    static float others[LEAVES][LENGTH];
    struct leaf leaves[LEAVES];
    for (int i = 0; i < LEAVES; i++) {
        char *at = i == 0 ? base : i == 1 ? base + space - PAGE : base + space / 2 + i * LENGTH * 4;
        leaves[i] = (struct leaf){.n = LENGTH, .a = (void *)at, .b = others[i]};
        memset(at, i + 1, LENGTH * 4);
    }
    accd_program *program = leaf_program(context);
    const accd_label *label = array(context, "L", sizeof leaves[0], program);
    accd_item item = walked(ACCD_ACTION_COPYIN, leaves, sizeof leaves, program, label);
    ok(ENTER(context, item) == ACCD_OK, "entered, groups from %zu", group_least);
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    is_number(stats.objects, 1 + 2 * LEAVES, "objects");
    item.action = ACCD_ACTION_COPYOUT;
    for (int i = 0; i < LEAVES; i++)
        memset(leaves[i].a, 0, LENGTH * 4);
    if (group_least == 1) /* one of them is asked for: the group is taken apart */
        ok(present_count(context, leaves[7].a, 0, 1), "one of the sections is present once");
    ok(EXIT(context, item) == ACCD_OK, "left");
    int wrong = 0;
    for (int i = 0; i < LEAVES; i++)
        for (int k = 0; k < LENGTH * 4; k++)
            wrong += ((const unsigned char *)leaves[i].a)[k] != (unsigned char)(i + 1);
    is_number(wrong, 0, "every byte came back");

    /* two that overlap in part: no group hides it */
    leaves[9].a = (void *)((char *)leaves[8].a + 4);
    item.action = ACCD_ACTION_COPYIN;
    ok(ENTER(context, item) == ACCD_ERROR_PARTIAL_OVERLAP, "a part shared by two sections");
    is_sound(context);
    accd_program_release(program);
    accd_context_free(context);
    munmap(base, space);
}

int main(void)
{
    far_and_near(1);
    far_and_near(2);
    far_and_near(100000);
    return done();
}
