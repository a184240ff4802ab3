// Members named without `this` in clauses, in all places where a member function may be.
#include <cstdio>
struct base { int m = 2; double *z = new double[2]{1, 2}; };
template <class T> class layer : public base {
    int n_;
    double *x_;
    T *w_;
    T t_[4] = {1, 2, 3, 4};
#pragma acc shape init_needed(n_) include(x_[0:n_], w_[0:n_])
    int size() const { return n_; }
public:
    layer(int n) : n_(n), x_(new double[n]), w_(new T[n]) { for (int i = 0; i < n; i++) x_[i] = i, w_[i] = 10 * i; }
    void enter();
    void leave()
    {
#pragma acc exit data copyout(w_[0:size()]) delete(x_[0:n_], n_)
    }
    void scale(T f)
    {
#pragma acc parallel loop present(x_[0:n_], w_[0:n_])
        for (int i = 0; i < n_; i++)
            w_[i] = w_[i] * f + x_[i];
    }
    void hidden(double *x_, int n_)
    {
#pragma acc parallel loop copy(x_[0:n_])
        for (int i = 0; i < n_; i++)
            x_[i] += 100;
    }
    void lambda()
    {
        auto f = [this](int by) {
#pragma acc data copyin(n_) copy(w_[0:n_])
            {
#pragma acc parallel loop present(w_[0:n_])
                for (int i = 0; i < n_; i++)
                    w_[i] += by;
            }
        };
        f(1000);
    }
    void part()
    {
#pragma acc data copy(t_[1:2], z[0:m])
#pragma acc serial present(t_[1:2], z[0:m])
        {
            t_[1] = 20; t_[2] += 5;
            z[1] = 7;
        }
    }
    void show() { for (int i = 0; i < n_; i++) std::printf("%g %g,", (double)x_[i], (double)w_[i]); std::printf(" %g %g %g\n", (double)t_[1], (double)t_[2], z[1]); }
};
template <class T> void layer<T>::enter()
{
#pragma acc enter data copyin(n_, x_[0:n_], w_[0:n_])
}
static void plain(double *x_, int n_)
{
#pragma acc parallel loop copy(x_[0:n_])
    for (int i = 0; i < n_; i++)
        x_[i] += 100;
}
double w_[3];
int main()
{
    layer<float> a(3);
    layer<double> b(2);
    a.enter(); b.enter();
    a.scale(2); b.scale(3);
    a.leave(); b.leave();
    a.show(); b.show();
    double y[2] = {1, 2};
    a.hidden(y, 2); plain(y, 2);
#pragma acc parallel copy(w_)
    w_[1] = 4;
    a.lambda(); b.lambda(); a.part(); b.part();
    a.show(); b.show();
    std::printf("%g %g %g\n", y[0], y[1], w_[1]);
}
