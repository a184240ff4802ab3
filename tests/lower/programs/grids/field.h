#pragma once
#define FIELD_VALUES 1
template<typename T> class field {
    int n = 0;
    T *data = nullptr;
#pragma acc shape include(data[0:n * FIELD_VALUES])

  public:
    field() = default;
    field(int n, T first) : n(n), data(new T[n])
    {
        for (int i = 0; i < n; i++)
            data[i] = first + T(i);
    }
    field(const field &) = delete;
    field &operator=(field &&from)
    {
        T *own = data;
        n = from.n;
        data = from.data;
        from.n = 0;
        from.data = own;
        return *this;
    }
    ~field() { delete[] data; }
    int size() const { return n; }
    T &operator[](int i) { return data[i]; }
    void add(T value)
    {
#pragma acc parallel loop present(this [0:1])
        for (int i = 0; i < n; i++)
            data[i] += value;
#pragma acc update self(data [0:n])
    }
};
