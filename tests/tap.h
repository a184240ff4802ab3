/* tap.h - the little a C unit test needs: numbered results that prove(1) and ctest understand. */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count, tap_failed;

static inline int tap_ok(int good, const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("%sok %d - ", good ? "" : "not ", ++tap_count);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    if (!good) {
        tap_failed++;
        printf("#   at %s:%d\n", file, line);
        fflush(stdout);
    }
    return good;
}

#define ok(condition, ...) tap_ok(!!(condition), __FILE__, __LINE__, __VA_ARGS__)
/* Many checks under one number: only failures are told. */
#define must(condition, ...)                            \
    do {                                                \
        if (!(condition)) {                             \
            tap_ok(0, __FILE__, __LINE__, __VA_ARGS__); \
        }                                               \
    } while (0)
#define is_text(found, wanted, ...)                                    \
    do {                                                               \
        const char *found_ = (found), *wanted_ = (wanted);             \
        if (!ok(!strcmp(found_, wanted_), __VA_ARGS__))                \
            printf("#   found  %s\n#   wanted %s\n", found_, wanted_); \
    } while (0)
#define is_number(found, wanted, ...)                                         \
    do {                                                                      \
        long long found_ = (long long)(found), wanted_ = (long long)(wanted); \
        if (!ok(found_ == wanted_, __VA_ARGS__))                              \
            printf("#   found  %lld\n#   wanted %lld\n", found_, wanted_);    \
    } while (0)

static inline int done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif
