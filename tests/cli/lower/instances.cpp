template<class T> struct vec { T *p; int n;
#pragma acc shape include(p[0:n])
};
template<class T> void f(T &v) {
#pragma acc data copy(v)
  { (void)v; }
}
void g() { vec<float> v{0, 0}; int k = 0; f(v); f(k); }
