struct ring { int value; struct ring *next;
#pragma acc shape include(next[0:next != 0])
};
int main(void)
{
    struct ring a = {1, 0}, b = {2, &a};
    a.next = &b;
#pragma acc serial copy(a)
    a.next->next->value += a.next->value;
    return a.value != 3;
}
