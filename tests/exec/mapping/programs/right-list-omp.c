// nothing: the program itself writes the device's addresses into the list on the device.
#include <omp.h>
#include <stdlib.h>
struct node {
    struct node *next;
    int value;
};
int main(void)
{
    struct node nodes[4];
    int sum = 0;
    for (int i = 0; i < 4; i++)
        nodes[i] = (struct node){i < 3 ? &nodes[i + 1] : NULL, i};
#pragma omp target enter data map(to : nodes)
    for (struct node *at = nodes; at->next; at = at->next) {
        struct node *next = at->next, *there = at;
#pragma omp target data use_device_ptr(there, next)
        omp_target_memcpy(&there->next, &next, sizeof next, 0, 0, omp_get_default_device(), omp_get_initial_device());
    }
#pragma omp target map(tofrom : sum)
    for (struct node *at = nodes; at; at = at->next)
        sum += at->value;
#pragma omp target exit data map(release : nodes)
    return sum != 6;
}
