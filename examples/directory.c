/* The first figure of document DIR through the ABI of its fourth: distinct parts of one array, one
 * of them through an alias, in nested data environments. The simulated device's memory lies at its
 * addresses in this process, so that kernels are plain C.
 *
 *     gcc -Icore -Icore/abi/directory examples/directory.c -Lbuild -laccdeep-directory -laccdeep-core \
 *         -pthread -o build/directory
 *     build/directory
 */
#include <accdeep_directory.h>
#include <stdio.h>
#include <stdlib.h>

static accd_stacks *stacks;
static float memory[90], *const a = memory, *const b = memory + 70;

static void check(accd_status status)
{
    if (status == ACCD_OK)
        return;
    fprintf(stderr, "error[%s]: %s\n", accd_status_code(status),
            accd_stacks_error(stacks)->message);
    exit(1);
}

/* Where a kernel finds data: asked for anew in each environment, since fusion moves them. */
static float *on_device(const float *host)
{
    uint64_t address;
    check(accd_stacks_device_address(stacks, 0, host, &address));
    return (float *)(uintptr_t)address;
}

/* An artificial tuple, in elements of the array it belongs to. */
static void print_tuple(void *ud, const accd_tuple *tuple)
{
    int in_b = tuple->info.host >= (uintptr_t)b;
    uint64_t first = (tuple->info.host - (uintptr_t)(in_b ? b : a)) / sizeof(float);
    (void)ud;
    printf("  %s %s[%d:%d]", tuple->alloc ? "ALLOC" : "ALIAS", in_b ? "b" : "a", (int)first,
           (int)(tuple->info.bytes / sizeof(float)));
}

static void print_level(int level)
{
    printf("level %d:", level);
    check(
        accd_for_each_tuple(accd_stacks_context(stacks), 0, level, ACCD_LIST_ARTIFICIAL, print_tuple, NULL));
    printf("\n");
}

int main(void)
{
    accd_context_config config;
    accd_context_config_init(&config);
    config.backend = accd_find_backend("direct");
    if (accd_stacks_new(&stacks, &config) != ACCD_OK)
        return 1;
    for (int i = 0; i < 70; i++)
        a[i] = (float)i;
    for (int i = 0; i < 20; i++)
        b[i] = 1000;

    check(accd_stacks_new_dataE(stacks, 0)); /* data copyin(b[0:20], a[0:20]) copyout(a[0:20]) */
    check(accd_stacks_read_pragma(stacks));
    check(accd_stacks_pragma_copyin(stacks, b, 0, 20, sizeof b[0]));
    check(accd_stacks_pragma_copyin(stacks, a, 0, 20, sizeof a[0]));
    check(accd_stacks_pragma_copyout(stacks, a, 0, 20, sizeof a[0]));
    check(accd_stacks_write_pragma(stacks));
    print_level(0);
    float *x = on_device(a);
    const float *y = on_device(b);
    for (int i = 0; i < 20; i++)
        x[i] += y[i];

    float *c = &a[25];
    check(accd_stacks_new_dataE(stacks, 0)); /* data copyin(a[50:20], c[0:20]) */
    check(accd_stacks_read_pragma(stacks));
    check(accd_stacks_pragma_copyin(stacks, a, 50, 20, sizeof a[0]));
    check(accd_stacks_pragma_copyin(stacks, c, 0, 20, sizeof c[0]));
    check(accd_stacks_write_pragma(stacks));
    print_level(1);
    x = on_device(a);
    for (int i = 0; i < 20; i++)
        x[i] += x[i + 25] + x[i + 50];
    check(accd_stacks_end_dataE(stacks, 0));

    check(accd_stacks_end_dataE(stacks, 0));
    printf("a[0] = %g, a[19] = %g, a[25] = %g, a[69] = %g\n", (double)a[0], (double)a[19],
           (double)a[25], (double)a[69]);
    accd_stats stats;
    accd_get_stats(accd_stacks_context(stacks), 0, &stats);
    printf("transfers: %d to the device, %d to the host, %d within it; %d bytes left there\n",
           (int)stats.transfers[0], (int)stats.transfers[1], (int)stats.transfers[2],
           (int)stats.live_bytes);
    accd_stacks_free(stacks);
    return 0;
}
