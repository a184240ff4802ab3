/* A structure with two pointers, mapped in steps. With an argument, a pointer is used that was never attached. */
#include <stdio.h>

struct node {
    int value;
    struct node *left, *right;
};

int main(int argc, char **argv)
{
    struct node left = {1, 0, 0}, right = {2, 0, 0}, root = {0, &left, &right};
    double a[100] = {0};
    (void)argv;
#pragma acc enter data copyin(root, a)
#pragma acc enter data copyin(root.left [0:1])
    for (int i = 0; i < 2; i++) {
#pragma acc update self(a[3:5])
    }
#pragma acc parallel present(root) copyin(right)
    if (argc > 1)
        root.right->value++;
    else
        root.left->value++;
#pragma acc exit data copyout(root.left [0:1])
#pragma acc exit data delete (root, a)
    printf("%d\n", left.value);
    return 0;
}
