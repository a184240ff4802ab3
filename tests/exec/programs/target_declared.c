/* Variables of declare target stay on the device, whatever exit data say; what a clause always moves is moved. Those
 * of link come and go. list: a kernel sets the pointers of a list, which the host has as its own. deep: a frame that is larger than a quarter of the stack of 4 MiB. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#pragma omp declare target
static int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma omp end declare target
static int linked[4];
#pragma omp declare target link(linked)

static int deep(int value)
{
    volatile char frame[5 << 20];
    frame[0] = (char)value;
    frame[sizeof frame - 1] = (char)value;
    return frame[0] + frame[sizeof frame - 1];
}

struct node {
    int value;
    struct node *next;
};

static int list(int is_other)
{
    struct node nodes[3] = {{1, &nodes[1]}, {2, &nodes[2]}, {3, NULL}};
    struct node *first = &nodes[0], *second = &nodes[1], *third = &nodes[2];
    int sum = 0;
#pragma omp target enter data map(to: first[:1])
#pragma omp target enter data map(to: second[:1])
#pragma omp target enter data map(to: third[:1])
#pragma omp target
    first->next = is_other ? third : second;
#pragma omp target
    second->next = third;
#pragma omp target map(from: sum)
    sum = first->next->value;
    for (const struct node *node = first; node; node = node->next)
        sum += node->value;
#pragma omp target exit data map(delete: first[:1], second[:1], third[:1])
    return sum;
}

int main(int argc, char **argv)
{
    const int device = omp_get_default_device();
    if (argc > 1 && !strcmp(argv[1], "deep")) {
        printf("%d\n", deep(21));
        return 0;
    }
    if (argc > 1 && !strncmp(argv[1], "list", 4)) {
        printf("%d\n", list(argv[1][4]));
        return 0;
    }
#pragma omp target exit data map(delete: table)
#pragma omp target exit data map(release: table)
    printf("present %d\n", omp_target_is_present(table, device));
#pragma omp target
    table[2] += 10;
#pragma omp target exit data map(from: table)
    if (argc > 1) /* an old value */
        printf("%d\n", table[2]);
#pragma omp target exit data map(always, from: table)
    printf("%d, present %d\n", table[2], omp_target_is_present(table, device));
#pragma omp target enter data map(to: linked)
    printf("link: present %d,", omp_target_is_present(linked, device));
#pragma omp target exit data map(delete: linked)
    printf(" then %d\n", omp_target_is_present(linked, device));
    return 0;
}
