class hid { int n; float *p;
#pragma acc shape include(p[0:n])
public: hid(); };
