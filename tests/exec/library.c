/* A library of the program, with a variable of its own. */
int library_variable = 7;
int *library_variable_p(void);

int *library_variable_p(void)
{
    return &library_variable;
}
