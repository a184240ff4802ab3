/* The same name as in errors.c for another type. */
struct twice {
    int a, b;
};

struct twice U;
