/*
 * The first process of every bot's container: `launcher USER PROGRAM ARGUMENT...`.
 *
 * Takes the log socket as stdout and stderr in place of the engine's pipes, starts the program as USER, a number, reaps
 * what has ended, and ends as the program does: its exit code, or 128 + the signal. Only 137 becomes 192: nothing inside
 * can kill this process, so the engine reports 137 only if it was killed from outside, or by the kernel for memory. No
 * process of the container can then reach a pipe that the engine reads. Uses no library, so that it runs in every image.
 * `hatch_build.py` compiles it.
 *
 * The engine starts it as root with two capabilities (limits.py). It loses them by becoming USER + 1 itself, another user
 * than the program's: the kernel lets no user send signals to processes of another one, or change their limits, priority
 * or cores. For a program of ours USER may be 0: then neither becomes another user.
 *
 * Exit codes of its own, those of a shell: 127 no such program, 126 the program cannot be run; 125 no log socket; and 124
 * the program could not be confined.
 */

enum { AF_UNIX = 1, SOCK_STREAM = 1, SOCK_CLOEXEC = 02000000, SIGCHLD = 17, CLONE_FILES = 0x400 };
enum { PR_SET_DUMPABLE = 4, ENOENT = 2, ENOTDIR = 20, PATH_MAX = 4096, USER_MAX = 2147483646 };
enum { STATX_MODE = 2, WRITTEN_BY_ALL = 2 };
enum { CANNOT_CONFINE = 124, NO_LOG = 125, CANNOT_RUN = 126, NOT_FOUND = 127, BY_SIGNAL = 128, KILLED = 137, WAS_KILLED = 192 };

#include "system.h"
#include "confine.h"

__attribute__((used)) static const char source[] = "pigpen launcher source sha256:" SOURCE;

static const struct {
    unsigned short family;
    char path[108];
} log_socket = {AF_UNIX, "/run/pigpen/log.sock"};

static long run(const char *path, char **arguments, char **environment) {
    return call(EXECVE, (long)path, (long)arguments, (long)environment, 0);
}

/* The value of PATH; without one, what the engine would set. */
static const char *search_path(char **environment) {
    for (; *environment; environment++) {
        const char *entry = *environment;
        if (entry[0] == 'P' && entry[1] == 'A' && entry[2] == 'T' && entry[3] == 'H' && entry[4] == '=') return entry + 5;
    }
    return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
}

/* Become the program, looked for as a shell does; give the exit code if that fails. */
static long become(char **arguments, char **environment) {
    const char *name = arguments[0];
    int has_folder = 0;
    for (const char *at = name; *at; at++) has_folder |= *at == '/';
    if (has_folder) {
        long error = run(name, arguments, environment);
        return error == -ENOENT || error == -ENOTDIR ? NOT_FOUND : CANNOT_RUN;
    }
    static char path[PATH_MAX];
    long code = NOT_FOUND;
    for (const char *at = search_path(environment);;) {
        long end = 0;
        while (*at && *at != ':' && end < PATH_MAX / 2) path[end++] = *at++;
        while (*at && *at != ':') at++;
        if (end) path[end++] = '/';
        if (end + length(name) < PATH_MAX) {
            for (long n = 0; n <= length(name); n++) path[end + n] = name[n];
            long error = run(path, arguments, environment);
            if (error != -ENOENT && error != -ENOTDIR) code = CANNOT_RUN;
        }
        if (!*at++) return code;
    }
}

static const char seat_socket[] = "/run/pigpen/seat.sock";

/* The number that is written there; less than 0 if it is none. */
static long user_of(const char *text) {
    long user = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || user > USER_MAX) return -1;
        user = 10 * user + *text - '0';
    }
    return user > USER_MAX ? -1 : user;
}

/* Whether every user may connect to the seat, if there is one: no bot is to blame if it may not. */
static int is_open_to_all(const char *path) {
    static struct {
        unsigned before[7];
        unsigned short mode;
        char after[226];
    } __attribute__((aligned(8))) found;
    return call6(STATX, AT_FDCWD, (long)path, 0, STATX_MODE, (long)&found, 0) < 0 || found.mode & WRITTEN_BY_ALL;
}

static void take_log_socket(void) {
    if (!is_open_to_all(seat_socket)) leave(NO_LOG);
    long socket = call(SOCKET, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 0);
    if (socket < 0 || call(CONNECT, socket, (long)&log_socket, sizeof log_socket, 0) < 0) leave(NO_LOG);
    call(DUP3, socket, 1, 0, 0);
    call(DUP3, socket, 2, 0, 0);
}

__attribute__((used)) void begin(long *stack) {
    char **arguments = (char **)stack + 3;
    char **environment = (char **)stack + stack[0] + 2;
    if (stack[0] < 3) leave(NOT_FOUND);
    long user = user_of(arguments[-1]);
    if (user < 0) leave(CANNOT_CONFINE);
    /* No other process looks into this one or opens its files through /proc. */
    call(PRCTL, PR_SET_DUMPABLE, 0, 0, 0);
    take_log_socket();
    /* Until it becomes its program, both have the same open files: those that `confine` keeps open stay open here. */
    long program = call(CLONE, SIGCHLD | CLONE_FILES, 0, 0, 0);
    if (program == 0) {
        if (!confine(user)) leave(CANNOT_CONFINE);
        long code = become(arguments, environment);
        say(2, "pigpen: cannot run ");
        say(2, arguments[0]);
        say(2, code == NOT_FOUND ? ": there is no such program in the image\n" : ": it is no program, or not for everyone\n");
        leave(code);
    }
    if (program < 0) leave(CANNOT_RUN);
    if (!become_user(user ? user + 1 : 0)) leave(CANNOT_CONFINE);
    int status = 0;
    while (call(WAIT4, -1, (long)&status, 0, 0) != program) {}
    long code = status & 127 ? BY_SIGNAL + (status & 127) : status >> 8 & 255;
    leave(code == KILLED ? WAS_KILLED : code);
}
