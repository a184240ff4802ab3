// rules: tr14x - a tree, a list of lists and a cube: recursive types.
#include <stdio.h>
#include <stdlib.h>

struct tree {
    int n;
    double *v;
    struct tree *left, *right, *up;
#pragma acc shape include(v[0:n], left[0:left != 0], right[0:right != 0], up[@])
};

struct item {
    int n;
    float *v;
    struct item *next;
    struct list *inner;
#pragma acc shape include(v[0:n], next[0:next != 0], inner[0:inner != 0])
};

struct list {
    int count;
    struct item *first;
#pragma acc shape include(first[0:first != 0])
};

struct cell {
    double mass;
    int ncells;
    struct cell *cells;
#pragma acc shape include(cells[0:ncells])
};

static struct tree *make_tree(int depth, struct tree *up)
{
    if (!depth)
        return NULL;
    struct tree *t = malloc(sizeof *t);
    *t = (struct tree){ depth, calloc(depth, sizeof(double)), NULL, NULL, up };
    t->left = make_tree(depth - 1, t);
    t->right = make_tree(depth - 1, t);
    return t;
}

static double sum_tree(const struct tree *t)
{
    double sum = 0;
    for (int i = 0; t && i < t->n; i++)
        sum += t->v[i];
    return t ? sum + sum_tree(t->left) + sum_tree(t->right) : 0;
}

static struct list *make_list(int count, int depth)
{
    struct list *l = malloc(sizeof *l);
    *l = (struct list){ count, NULL };
    for (int i = 0; i < count; i++) {
        struct item *one = malloc(sizeof *one);
        *one = (struct item){ i + 1, calloc(i + 1, sizeof(float)), l->first, depth ? make_list(2, depth - 1) : NULL };
        l->first = one;
    }
    return l;
}

static float sum_list(const struct list *l)
{
    float sum = 0;
    for (struct item *one = l->first; one; one = one->next) {
        sum += one->inner ? sum_list(one->inner) : 0;
        for (int i = 0; i < one->n; i++)
            sum += one->v[i];
    }
    return sum;
}

static void make_cells(struct cell *c, int depth)
{
    *c = (struct cell){ depth + 1, depth ? 3 : 0, depth ? malloc(3 * sizeof *c) : NULL };
    for (int i = 0; i < c->ncells; i++)
        make_cells(&c->cells[i], depth - 1);
}

int main(void)
{
    struct tree *t = make_tree(4, NULL);
#pragma acc data copy(t[0:1])
    {
#pragma acc serial present(t[0:1])
        {
            struct tree *q = t;
            while (q->left)
                q = q->left;
            for (; q; q = q->up)
                for (int i = 0; i < q->n; i++)
                    q->v[i] += 1 + i;
        }
    }
    printf("%g\n", sum_tree(t));

    struct list *l = make_list(3, 1);
#pragma acc enter data copyin(l[0:1])
#pragma acc serial present(l[0:1])
    for (struct item *one = l->first; one; one = one->next) {
        for (int i = 0; i < one->n; i++)
            one->v[i] = 10;
        for (struct item *two = one->inner->first; two; two = two->next)
            for (int i = 0; i < two->n; i++)
                two->v[i] = 1;
    }
#pragma acc exit data copyout(l[0:1])
    printf("%g\n", sum_list(l));

    struct cell c;
    make_cells(&c, 3);
#pragma acc enter data copyin(c)
    c.cells[1].cells[2].mass = 0.5;
#pragma acc update device(c)
    double mass = 0;
#pragma acc serial present(c) copy(mass)
    for (int i = 0; i < c.ncells; i++)
        for (int k = 0; k < c.cells[i].ncells; k++)
            mass += c.cells[i].cells[k].mass;
#pragma acc exit data delete(c)
    printf("%g\n", mass);
    return 0;
}
