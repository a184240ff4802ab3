// partial section: the kernel reads the first byte past the section.
int main(void)
{
    char text[16] = "abcdefghijklm";
    int sum = 0;
#ifdef RIGHT
#pragma acc parallel loop copyin(text[0:14]) reduction(+ : sum)
#else
#pragma acc parallel loop copyin(text[0:13]) reduction(+ : sum)
#endif
    for (int i = 0; i < 14; i++)
        sum += text[i] != 0; // expect: out-of-bounds
    return sum != 13;
}
