-- memory of the device that a kernel writes, in steps of a page
declare "char *p;"
host.p = acc_malloc(1 << 30)
acc "parallel deviceptr(p)" "for (long i = 0; i < 1L << 30; i += 4096) p[i] = 1;"
