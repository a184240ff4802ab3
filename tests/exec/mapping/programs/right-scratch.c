// nothing: scratch memory is created, written, read and removed on the device.
int main(void)
{
    float in[16] = {1, 2, 3}, out[16] = {0}, scratch[16];
#pragma acc data copyin(in) copyout(out) create(scratch)
    {
#pragma acc parallel loop present(in, scratch)
        for (int i = 0; i < 16; i++)
            scratch[i] = 2 * in[i];
#pragma acc parallel loop present(out, scratch)
        for (int i = 0; i < 16; i++)
            out[i] = scratch[i];
    }
    return out[2] != 6;
}
