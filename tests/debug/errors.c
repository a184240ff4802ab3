/* Types that debug information knows only in part, or twice; see errors.lua. */
struct hidden;
typedef float real;
enum paint { RED, GREEN };

struct part {
    struct part *next;
    real value;
};

struct whole {
    int n;
    struct part *first;
    struct hidden *handle;
    enum paint paint;
    unsigned bits : 5;
};

struct twice {
    int a;
};

struct whole W;
struct twice T;

int main(void)
{
    return W.n;
}
