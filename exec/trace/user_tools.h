/* user_tools.h - tools of users (`exec --tool FILE.so`). */
#ifndef RT_USER_TOOLS_H
#define RT_USER_TOOLS_H

#include <stdbool.h>

/* Loads the libraries that ACCDEEP_TOOL names, separated by colons, and adds their hooks. Called once, at the start. A
 * library that cannot be loaded ends the program. Returns true if a tool was loaded. */
bool rt_load_user_tools(void);

#endif
