/* { dg-do compile { target skip-all-targets } } */
int twice(int);
int twice(int n)
{
    return 2 * n;
}
