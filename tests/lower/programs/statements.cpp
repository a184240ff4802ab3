// Statements and names of C++: lambdas, if constexpr, attributes, raw strings, member templates, nested namespaces.
// openmp: no: gcc 12 maps a structure that a lambda captures with another size.
#include <cstdio>
#include <string>
namespace a::b { inline namespace v1 {
template<typename T> struct matrix { int rows, cols; T **row;
    #pragma acc shape include(row[0:rows][0:cols])
    #pragma acc policy(back) default(exclude) update(row)
};
struct node { float *v; int n; node *next;
    #pragma acc shape include(v[0:n])
}; } }
enum class kind { one, two };
struct holder { enum { N = 2 }; a::b::node two[N]; a::b::matrix<float> m; const char *name; kind k;
    void print() const { printf("%g %g %g %s\n", two[0].v[0], two[1].n * 1.0, m.row[1][2], name); } };
static const char *text = R"x(#pragma acc shape { " )x";
template<class F> void apply(F &&f) { f(); }
template<class T> struct user {
    T *t;
    template<class U> void run(U by) {
        int n = 1; T *p = t;
        #pragma acc data copy(p[0:n])
        {
            #pragma acc parallel present(p[0:n])
            { p->two[0].v[0] += by; p->m.row[1][2] += by; }
        }
    }
};
int main() {
    holder h{}; h.name = "long enough to be allocated somewhere";
    a::b::node last{new float[2]{5, 6}, 2, nullptr};
    h.two[0] = {new float[1]{1}, 1, nullptr}; h.two[1] = {nullptr, 0, &last};
    h.m = {2, 3, new float *[2]{new float[3]{1, 2, 3}, new float[3]{4, 5, 6}}};
    user<holder> u{&h};
    u.run(1); u.run(2.5f);
    h.print();
    apply([&]() {
        if constexpr (sizeof(int) == 4)
            #pragma acc data copyin(h)
            for (int i = 0; i < 1; i++) {
                #pragma acc parallel present(h)
                h.m.row[1][2] += 10;
                #pragma acc update self(h)
            }
        else
            printf("else\n");
    });
    h.print();
    [[maybe_unused]] auto &&r = last;
    #pragma acc data copy(last)
    [[maybe_unused]] int k = 0;
    printf("%d %zu\n", __LINE__, std::string(text).size());
}
