// data race: all iterations change the first node of a list.
struct node {
    int value;
    struct node *next;
};

int main(void)
{
    struct node n[4] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}};
#pragma acc enter data copyin(n)
#pragma acc parallel loop present(n)
    for (int i = 1; i < 4; i++)
#ifdef RIGHT
        n[i].value += i;
#else
        n[0].value += n[i].value; // checked: data-race
#endif
#pragma acc exit data copyout(n)
    return n[0].value < 1;
}
