/* fault.h - explains accesses that end the program. */
#ifndef RT_FAULT_H
#define RT_FAULT_H

/* Installs the handler that explains accesses that end the program. */
void rt_install_fault_handler(void);

#endif
