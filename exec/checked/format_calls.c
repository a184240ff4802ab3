/* format_calls.c - functions of the printf and scanf families. The variables that a format's conversions read
 * or write are accessed for the caller. The exported functions check these accesses, call the C library's
 * function, and return its result. Callers that were not compiled for checking are not checked. */
#include "fast_path.h"
#include "libc_calls.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- print -- */

/* Takes the argument of one printf conversion (`conversion`: its letter) from the list, and for %s checks the
 * read of the string. length: the length modifier before the letter, such as "ll". precision: most bytes of
 * the string; negative: no limit. */
static void check_printf_argument(const char *length, char conversion, long precision, va_list arguments,
                                  struct rt_caller caller)
{
    const bool is_long = *length == 'l' || *length == 'j' || *length == 'z' || *length == 't' || *length == 'q';
    const char *text;
    switch (conversion) {
    case 's':
        text = va_arg(arguments, const char *);
        if (text && !is_long)
            rt_check_read(text, rt_count_string_bytes(text, precision < 0 ? SIZE_MAX : (size_t)precision), caller);
        break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (*length == 'L')
            (void)va_arg(arguments, long double);
        else
            (void)va_arg(arguments, double);
        break;
    case 'n':
    case 'p':
        (void)va_arg(arguments, void *);
        break;
    case 'm':
    case '%':
        break;
    default:
        if (is_long)
            (void)va_arg(arguments, long);
        else
            (void)va_arg(arguments, int);
    }
}

/* Checks the reads of the strings that a printf format prints, and consumes `arguments`. Formats with numbered
 * arguments are not checked. */
static void check_printf_arguments(const char *format, va_list arguments, struct rt_caller caller)
{
    if (!rt_is_instrumented_caller(caller) || strchr(format, '$'))
        return;
    for (const char *at = format; (at = strchr(at, '%')); at++) {
        long precision = -1;
        at += 1 + strspn(at + 1, "-+ #0'I");
        if (*at == '*')
            (void)va_arg(arguments, int), at++;
        at += strspn(at, "0123456789");
        if (*at == '.') {
            precision = at[1] == '*' ? va_arg(arguments, int) : strtol(at + 1, NULL, 10);
            at += 1 + (at[1] == '*');
            at += strspn(at, "-0123456789");
        }
        const char *length = at;
        at += strspn(at, "hlLqjzt");
        if (!*at)
            return;
        check_printf_argument(length, *at, precision, arguments, caller);
    }
}

/* Checks the reads of the strings that a printf format prints, on a copy of `arguments`, which stays usable. */
static void check_printf_list(const char *format, va_list arguments, struct rt_caller caller)
{
    va_list copy;
    va_copy(copy, arguments);
    check_printf_arguments(format, copy, caller);
    va_end(copy);
}

/* Checks the write of a printed text of n characters and its terminating zero to `to`, at most `capacity` bytes. Does
 * nothing if n is negative (an error of the C library) or capacity is 0. */
static void check_output(char *to, int n, size_t capacity, struct rt_caller caller)
{
    if (n >= 0 && capacity)
        rt_check_write(to, rt_min_size((size_t)n + 1, capacity), caller);
}

static void *real_vfprintf, *real_vsnprintf;

/* Body of a variadic function whose last parameter is `format`. Returns the result of `call`, an expression
 * that uses the list `arguments`. */
#define WITH_LIST(call)          \
    int n;                       \
    va_list arguments;           \
    va_start(arguments, format); \
    n = call;                    \
    va_end(arguments);           \
    return n

/* Checks the strings that a format prints, prints to `file`, and returns the result of vfprintf. */
static int print_to_file(FILE *file, const char *format, va_list arguments, struct rt_caller caller)
{
    check_printf_list(format, arguments, caller);
    return REAL(vfprintf)(file, format, arguments);
}

/* Checks the strings that a format prints, prints to `to`, checks the written text, and returns the result of
 * vsnprintf. */
static int print_to_text(char *to, size_t capacity, const char *format, va_list arguments, struct rt_caller caller)
{
    check_printf_list(format, arguments, caller);
    const int n = REAL(vsnprintf)(to, capacity, format, arguments);
    check_output(to, n, capacity, caller);
    return n;
}

EXPORT(int, vprintf, (const char *format, va_list arguments))
{
    return print_to_file(stdout, format, arguments, CALLER);
}

EXPORT(int, vfprintf, (FILE * file, const char *format, va_list arguments))
{
    return print_to_file(file, format, arguments, CALLER);
}

EXPORT(int, vsnprintf, (char *to, size_t capacity, const char *format, va_list arguments))
{
    return print_to_text(to, capacity, format, arguments, CALLER);
}

EXPORT(int, vsprintf, (char *to, const char *format, va_list arguments))
{
    return print_to_text(to, INT_MAX, format, arguments, CALLER);
}

EXPORT(int, printf, (const char *format, ...))
{
    WITH_LIST(print_to_file(stdout, format, arguments, CALLER));
}

EXPORT(int, fprintf, (FILE * file, const char *format, ...))
{
    WITH_LIST(print_to_file(file, format, arguments, CALLER));
}

EXPORT(int, snprintf, (char *to, size_t capacity, const char *format, ...))
{
    WITH_LIST(print_to_text(to, capacity, format, arguments, CALLER));
}

EXPORT(int, sprintf, (char *to, const char *format, ...))
{
    WITH_LIST(print_to_text(to, INT_MAX, format, arguments, CALLER));
}

/* -------------------------------------------------------------------------------------- scan -- */

/* Returns the position of the bracket that ends the character set of a %[ conversion; `at` is the first
 * character of the set. */
static const char *skip_scanset(const char *at)
{
    at += *at == '^';
    at += *at == ']';
    return at + strcspn(at, "]");
}

/* Returns the number of bytes that a scanf conversion (`conversion`: its letter) has stored at `to`; 0 if the
 * number is not known. length: the length modifier, such as "ll"; width: the field width, 0: none. */
static size_t get_stored_bytes(const char *length, char conversion, size_t width, const char *to)
{
    const bool twice = length[0] == length[1];
    switch (conversion) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        return *length == 'h'                         ? (twice ? sizeof(char) : sizeof(short))
               : *length && strchr("lLqjzt", *length) ? sizeof(long)
                                                      : sizeof(int);
    case 'c':
        return *length == 'l' ? 0 : width ? width : 1;
    case 's':
    case '[':
        return *length == 'l' ? 0 : rt_count_string_bytes(to, SIZE_MAX);
    case 'p':
        return sizeof(void *);
    default: /* conversions of floating-point numbers */
        return *length == 'L' ? sizeof(long double) : *length == 'l' ? sizeof(double) : sizeof(float);
    }
}

/* Checks the writes to the first n variables of a scanf format, which the C library has set; variables of %n
 * do not count. Formats with numbered arguments are not checked. Memory that the C library allocates
 * (modifier m) needs no check, as it is not mapped. */
static void check_scanf_arguments(const char *format, va_list arguments, int n, struct rt_caller caller)
{
    va_list copy;
    if (n <= 0 || !rt_is_instrumented_caller(caller) || strchr(format, '$'))
        return;
    va_copy(copy, arguments);
    for (const char *at = format; n > 0 && (at = strchr(at, '%')); at += *at != 0) {
        at++;
        const bool skips = *at == '*';
        at += strspn(at, "*'I");
        const size_t width = strtoul(at, NULL, 10);
        at += strspn(at, "0123456789");
        const bool allocates = *at == 'm';
        at += allocates;
        const char *length = at;
        at += strspn(at, "hlLqjzt");
        const char conversion = *at;
        if (conversion == '[')
            at = skip_scanset(at + 1);
        if (!conversion || conversion == '%' || skips)
            continue;
        void *to = va_arg(copy, void *);
        if (allocates) {
            n--;
        } else if (conversion == 'n') {
            rt_check_write(to, get_stored_bytes(length, 'd', 0, NULL), caller);
        } else {
            rt_check_write(to, get_stored_bytes(length, conversion, width, to), caller);
            n--;
        }
    }
    va_end(copy);
}

/* Reads from a file by the C library's function `name` (a vfscanf), cached in *cached, checks the writes to
 * variables, and returns the number of variables read. */
static int scan_file(void **cached, const char *name, FILE *file, const char *format, va_list arguments,
                     struct rt_caller caller)
{
    va_list copy;
    va_copy(copy, arguments);
    const int n = ((int (*)(FILE *, const char *, va_list))rt_find_real_function(cached, name))(file, format, copy);
    va_end(copy);
    check_scanf_arguments(format, arguments, n, caller);
    return n;
}

/* Reads from a string by the C library's function `name` (a vsscanf), cached in *cached, checks the writes to
 * variables, and returns the number of variables read. The reads of the string are not checked. */
static int scan_text(void **cached, const char *name, const char *text, const char *format, va_list arguments,
                     struct rt_caller caller)
{
    va_list copy;
    va_copy(copy, arguments);
    const int n =
        ((int (*)(const char *, const char *, va_list))rt_find_real_function(cached, name))(text, format, copy);
    va_end(copy);
    check_scanf_arguments(format, arguments, n, caller);
    return n;
}

/* Begins the definition of an exported function that has the name `name` in C and the name `symbol` in object files. */
#define SYMBOL(symbol, name, ...)              \
    API int name(__VA_ARGS__) __asm__(symbol); \
    int name(__VA_ARGS__)

/* Defines the scanf functions for a standard of C, whose symbols begin with `prefix`. The C library's header stdio.h
 * selects the symbols by the standard that the program is compiled for. */
#define SCANS(standard, prefix)                                                                           \
    static void *standard##_file, *standard##_text;                                                       \
    SYMBOL(prefix "vfscanf", standard##_vfscanf, FILE *file, const char *format, va_list arguments)       \
    {                                                                                                     \
        return scan_file(&standard##_file, prefix "vfscanf", file, format, arguments, CALLER);            \
    }                                                                                                     \
    SYMBOL(prefix "vscanf", standard##_vscanf, const char *format, va_list arguments)                     \
    {                                                                                                     \
        return scan_file(&standard##_file, prefix "vfscanf", stdin, format, arguments, CALLER);           \
    }                                                                                                     \
    SYMBOL(prefix "vsscanf", standard##_vsscanf, const char *text, const char *format, va_list arguments) \
    {                                                                                                     \
        return scan_text(&standard##_text, prefix "vsscanf", text, format, arguments, CALLER);            \
    }                                                                                                     \
    SYMBOL(prefix "fscanf", standard##_fscanf, FILE *file, const char *format, ...)                       \
    {                                                                                                     \
        WITH_LIST(scan_file(&standard##_file, prefix "vfscanf", file, format, arguments, CALLER));        \
    }                                                                                                     \
    SYMBOL(prefix "scanf", standard##_scanf, const char *format, ...)                                     \
    {                                                                                                     \
        WITH_LIST(scan_file(&standard##_file, prefix "vfscanf", stdin, format, arguments, CALLER));       \
    }                                                                                                     \
    SYMBOL(prefix "sscanf", standard##_sscanf, const char *text, const char *format, ...)                 \
    {                                                                                                     \
        WITH_LIST(scan_text(&standard##_text, prefix "vsscanf", text, format, arguments, CALLER));        \
    }

SCANS(old, "")
SCANS(c99, "__isoc99_")
SCANS(c23, "__isoc23_")
