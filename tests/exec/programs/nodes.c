/* A tree whose nodes are mapped by a recursive function, under one name. Their arrays are mapped, too, and never
 * attached. */
#include <stdlib.h>

struct node {
    double sum;
    struct node *child[2];
    int n, *values;
};

static struct node *build(int depth)
{
    struct node *node = calloc(1, sizeof *node);
    node->n = 3;
    node->values = calloc(3, sizeof *node->values);
    for (int i = 0; i < 2 && depth; i++)
        node->child[i] = build(depth - 1);
    return node;
}

static void map(struct node *n)
{
#pragma acc enter data copyin(n [0:1])
    int *values = n->values, length = n->n;
#pragma acc enter data copyin(values [0:length])
    for (int i = 0; i < 2; i++)
        if (n->child[i]) {
            map(n->child[i]);
#pragma acc enter data attach(n->child[i])
        }
}

int main(int argc, char **argv)
{
    struct node *root = build(argc > 1 ? atoi(argv[1]) : 1);
    map(root);
#pragma acc parallel present(root [0:1])
    {
        struct node *n = root;
        while (n->child[1])
            n = n->child[1];
        n->sum = n->values[0];
    }
    return 0;
}
