// data race: macros hide the directive and the loop.
#define EACH(i) for (int i = 0; i < 64; i++)
#ifdef RIGHT
#define LOOP _Pragma("acc parallel loop copyin(a) copy(s) reduction(+ : s)")
#else
#define LOOP _Pragma("acc parallel loop copyin(a) copy(s)")
#endif

int main(void)
{
    int a[64], s = 0;
    EACH(i)
    a[i] = i;
    LOOP EACH(i)
        s += a[i]; // checked: data-race
    return s != 2016;
}
