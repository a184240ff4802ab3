#include <stdio.h>
#include <string.h>

static int check_count, check_failed, check_differs;
static char check_wanted[1 << 16];

void check_print(char *to, size_t room, long double value)
{
    snprintf(to, room, value < 1e18L && value > -1e18L && value == (long long)value ? " %.0Lf" : " %.9Lg", value);
}

void check_begin(int line, const char *what)
{
    check_differs = 0;
    check_wanted[0] = '\0';
    printf("check %d, line %d: %s =", ++check_count, line, what);
}

void check_number(long double found, long double wanted)
{
    char text[64];
    size_t length = strlen(check_wanted);
    check_print(text, sizeof text, found);
    printf("%s", text);
    check_print(check_wanted + length, sizeof check_wanted - length, wanted);
    if (found != wanted && found != (float)wanted && (found == found || wanted == wanted))
        check_differs = 1;
}

void check_end(void)
{
    if (check_differs)
        printf(", not%s", check_wanted);
    check_failed |= check_differs;
    printf("\n");
    fflush(stdout);
}

void check(int line, const char *what, long double found, long double wanted)
{
    check_begin(line, what);
    check_number(found, wanted);
    check_end();
}

int check_result(void)
{
    printf("%d check%s, %s\n", check_count, check_count == 1 ? "" : "s", check_failed ? "some differ" : "all hold");
    return check_failed;
}
