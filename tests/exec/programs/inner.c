/* What inside.c calls in a kernel. */
static double b[100];

void inner(void)
{
#pragma acc enter data copyin(b)
}
