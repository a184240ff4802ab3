/* Types whose members only the file of the same name tells, with -femit-struct-debug-baseonly. */
struct inner {
    int a;
    double b;
};

struct lost {
    long l;
};
