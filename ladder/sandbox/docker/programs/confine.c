/* `confine.h` as a library, for the fork server of warm containers (fork_server.py), which is written in Python. */

#define LIBRARY
#include "system.h"
#include "confine.h"

__attribute__((used)) static const char source[] = "pigpen confine source sha256:" SOURCE;

/* Make this process, which has one thread, *user*'s, and confine it; 0 if that failed. */
__attribute__((visibility("default"))) int pigpen_confine(int user) { return confine(user); }
