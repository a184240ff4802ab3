/* Structures in structures, as those of C++ libraries are; see parts.lua. */
struct ends {
    float *start, *finish, *last;
};

struct holder {
    int spare;
    struct ends ends;
};

struct vector {
    int id;
    struct holder holder;
    float *other;
    struct ends row[2];
};

struct vector V;

int main(void)
{
    return V.id;
}
