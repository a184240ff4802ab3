// nothing: a template with a class that maps its members, and std::vector on the host.
#include <vector>
template <typename T> class array {
    T *at;
    int n;

public:
    explicit array(const std::vector<T> &from) : at(new T[from.size()]), n((int)from.size())
    {
        for (int i = 0; i < n; i++)
            at[i] = from[i];
#pragma acc enter data copyin(this[0:1])
#pragma acc enter data copyin(at[0:n])
    }
    ~array()
    {
#pragma acc exit data delete(at[0:n]) // may: lost-change
#pragma acc exit data delete(this[0:1])
        delete[] at;
    }
    void scale(T by)
    {
#pragma acc parallel loop present(this[0:1], at[0:n])
        for (int i = 0; i < n; i++)
            at[i] *= by;
    }
    T get(int i)
    {
#pragma acc update self(at[i:1])
        return at[i];
    }
};
int main()
{
    array<double> a(std::vector<double>(12, 1.5));
    a.scale(2);
    return a.get(3) != 3;
}
