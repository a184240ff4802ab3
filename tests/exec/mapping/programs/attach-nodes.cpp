// unattached pointer: the second node of the list is mapped, and the first one's pointer to it is not attached.
struct node {
    int value;
    node *next;
};
int main()
{
    node second = {2, nullptr}, first = {1, &second};
    int sum = 0;
#pragma acc enter data copyin(second)
#pragma acc enter data copyin(first)
#ifdef RIGHT
#pragma acc enter data attach(first.next)
#endif
#pragma acc parallel present(first) copy(sum)
    for (node *at = &first; at; at = at->next)
        sum += at->value; // expect: host-pointer-on-device
#ifdef RIGHT
#pragma acc exit data detach(first.next)
#endif
#pragma acc exit data delete(first, second)
    return sum != 3;
}
