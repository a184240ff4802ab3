/* Device code whose variables lie in many parts: with -DIMAGE the code, otherwise the program, which registers the file
 * of the code as a compiler does, and moves each variable. */
enum { N = 12, LENGTH = 100 };
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

#ifdef IMAGE
#define DEVICE(i) __attribute__((section(".part" #i))) int part##i[LENGTH] = {-1};
EACH(DEVICE)
#else
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define HOST(i) static int part##i[LENGTH];
EACH(HOST)

struct entry {
    void *host;
    const char *name;
    uint64_t bytes;
    uint32_t flags, data;
};
#define ENTRY(i) {part##i, "part" #i, sizeof part##i, 0, 0},
static struct entry entries[] = {EACH(ENTRY)};

struct image {
    const void *start, *end;
    struct entry *entries, *entries_end;
};
struct library {
    int32_t nimages;
    struct image *images;
    struct entry *entries, *entries_end;
};
void *omp_get_mapped_ptr(const void *host, int device); /* not in the omp.h of gcc 12 */
void __tgt_register_lib(struct library *library);

int main(int argc, char **argv)
{
    static char content[1 << 20];
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    const size_t n = fread(content, 1, sizeof content, file);
    fclose(file);
    struct image image = {content, content + n, entries, entries + N};
    struct library library = {1, &image, entries, entries + N};
    __tgt_register_lib(&library);
    for (int i = 0; i < N; i++) {
        int *data = entries[i].host, before[1];
        const int is_present = omp_target_is_present(data, 0);
        int *device = omp_get_mapped_ptr(data, 0);
        if (is_present && device) {
            omp_target_memcpy(before, device, sizeof *before, 0, 0, omp_get_initial_device(), 0);
            printf("%s: present, %d\n", entries[i].name, before[0]);
        } else {
            printf("%s: absent\n", entries[i].name);
        }
    }
}
#endif
