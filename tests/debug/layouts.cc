// Prints how the compiler laid out types: TYPE|NAME|OFFSET|BYTES, as layouts.c does.
#include <array>
#include <cstddef>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace app {

enum class color : unsigned char { red, green };

struct empty {};

struct base {
    int id;
    char name[3];
};

struct shown {
    virtual ~shown() {}
    double weight;
};

// A member that hides one of a base class, a base without bytes, reuse of the base's padding.
struct cell : empty, shown, base {
    char id;
    color paint;
    int &other;
    std::vector<float> values;
    std::string label;
    struct inner;
    inner *in;
    static int count;
    int base::*field;
    explicit cell(int &i) : other(i) {}
};

struct cell::inner {
    short a;
    float *p;
};

template <class T, int N> struct block {
    T first;
    T all[N];
    block<T, N> *next;
};

struct left : virtual base {
    int l;
};

int cell::count;

} // namespace app

namespace {
struct local {
    long a;
    int b;
};
} // namespace

// Members with any protection, as a program sees them.
#define WHOLE(type, object) std::printf("%s||0|%zu\n", type, sizeof object)
#define MEMBER(type, object, member)                                                               \
    std::printf("%s|%s|%td|%zu\n", type, #member, (char *)&(object).member - (char *)&(object),    \
                sizeof(object).member)

struct vector_of_float : std::vector<float> {
    void print()
    {
        WHOLE("std::vector<float>", *static_cast<std::vector<float> *>(this));
        MEMBER("std::vector<float>", *this, _M_impl._M_start);
        MEMBER("std::vector<float, std::allocator<float> >", *this, _M_impl._M_finish);
        MEMBER("std::vector< float,std::allocator<float>>", *this, _M_impl._M_end_of_storage);
    }
};

int main()
{
    int i = 0;
    app::cell c(i);
    app::cell::inner n = {};
    app::block<unsigned long, 3> b = {};
    app::block<unsigned long, 4> other_block = {};
    app::left l;
    local s = {};
    std::map<std::string, std::vector<std::array<double, 2>>> m;
    std::shared_ptr<app::base> p;
    vector_of_float v;
    WHOLE("app::cell", c);
    MEMBER("app::cell", c, weight);
    MEMBER("app::cell", c, name);
    MEMBER("app::cell", c, id);
    MEMBER("app::cell", c, paint);
    MEMBER("app::cell", c, values);
    MEMBER("app::cell", c, label);
    MEMBER("app::cell", c, in);
    MEMBER("app::cell", c, field);
    WHOLE("app::cell::inner", n);
    MEMBER("app::cell::inner", n, p);
    WHOLE("app::block<unsigned long, 3>", b);
    MEMBER("app::block<long unsigned int, 3ul>", b, all[2]);
    MEMBER("app::block<unsigned long,3>", b, next);
    WHOLE("app::left", l);
    MEMBER("app::left", l, l);
    WHOLE("local", s);
    MEMBER("local", s, b);
    WHOLE("std::string", m.begin()->first);
    WHOLE("std::map<std::string, std::vector<std::array<double, 2>>>", m);
    WHOLE("std::shared_ptr<app::base>", p);
    WHOLE("app::base", *p);
    v.print();
    return 0;
}
