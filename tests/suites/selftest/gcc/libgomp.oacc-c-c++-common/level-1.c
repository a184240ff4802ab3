/* Is for -O2 only, and expected to fail on other devices. */
/* { dg-do run }
   { dg-skip-if "" { *-*-* } { "*" } { "-O2" } }
   { dg-shouldfail "" { openacc_radeon_accel_selected || { ! __OPTIMIZE__ } } } */
int main(void)
{
#ifdef __OPTIMIZE__
    return 0;
#else
    return 1;
#endif
}
