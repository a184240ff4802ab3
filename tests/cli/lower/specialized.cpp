template<class T> struct vec { T *p; int n;
#pragma acc shape include(p[0:n])
};
template<> struct vec<bool> { bool *p; int n; };
void f(vec<float> &v, vec<bool> &w) {
#pragma acc data copy(v, w)
  { v.n++; w.n++; }
}
