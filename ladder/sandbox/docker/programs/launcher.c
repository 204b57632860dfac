/*
 * The first process of every bot's container: `launcher PROGRAM ARGUMENT...`.
 *
 * Takes the log socket as stdout and stderr in place of the engine's pipes, starts the program, reaps what has ended, and
 * ends as the program does: its exit code, or 128 + the signal. Only 137 becomes 192: nothing inside can kill this
 * process, so the engine tells 137 only where somebody outside killed it, or the kernel for memory. No process of the
 * container can then reach a pipe that the engine reads. Uses no library, so that it runs in every image.
 * `hatch_build.py` compiles it.
 *
 * Exit codes of its own, those of a shell: 127 no such program, 126 the program cannot be run; 125 no log socket; and 124
 * the program could not be confined.
 */

enum { AF_UNIX = 1, SOCK_STREAM = 1, SOCK_CLOEXEC = 02000000, SIGCHLD = 17, PR_SET_DUMPABLE = 4 };
enum { ENOENT = 2, ENOTDIR = 20, PATH_MAX = 4096, LINK = 10 };
enum { CANNOT_CONFINE = 124, NO_LOG = 125, CANNOT_RUN = 126, NOT_FOUND = 127, BY_SIGNAL = 128, KILLED = 137, WAS_KILLED = 192 };

#include "system.h"

__attribute__((used)) static const char source[] = "pigpen launcher source sha256:" SOURCE;

static const struct {
    unsigned short family;
    char path[108];
} log_socket = {AF_UNIX, "/run/pigpen/log.sock"};

static long run(const char *path, char **arguments, char **environment) {
    return call(EXECVE, (long)path, (long)arguments, (long)environment, 0);
}

/*
 * Keep the program from reading and writing what the kernel tells of all containers together, with Landlock, which needs
 * no rights: of /proc a few files of its own first process, of /dev what is no terminal, of /sys nothing. A file such as
 * /proc/PID/smaps, which counts who else maps a page, cannot be masked by its path. Where the kernel has no Landlock, the
 * masks of the engine stand alone.
 */
enum { READ_FILE = 1 << 2, WRITE_FILE = 1 << 1, REFER = 1 << 13, VERSION = 1, PATH_BENEATH = 1, KNOWS_REFER = 2 };

static const char *const own_files[] = {
    "/proc/self/auxv", "/proc/self/cgroup", "/proc/self/cmdline", "/proc/self/comm", "/proc/self/environ",
    "/proc/self/limits", "/proc/self/maps", "/proc/self/mountinfo", "/proc/self/mounts", "/proc/self/stat",
    "/proc/self/statm", "/proc/self/status", 0,
};
static const char *const devices[] = {
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm", "/dev/mqueue", 0,
};

static void allow(long rules, long folder, const char *name, unsigned long access) {
    struct {
        unsigned long access;
        int file;
    } __attribute__((packed)) rule = {access, (int)call(OPENAT, folder, (long)name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0)};
    if (rule.file < 0) return;
    if (call(LANDLOCK_ADD_RULE, rules, PATH_BENEATH, (long)&rule, 0) < 0) {
        rule.access &= READ_FILE | WRITE_FILE; /* all that there is for what is no folder */
        call(LANDLOCK_ADD_RULE, rules, PATH_BENEATH, (long)&rule, 0);
    }
    call(CLOSE, rule.file, 0, 0, 0);
}

static int is(const char *one, const char *other) {
    while (*one && *one == *other) one++, other++;
    return *one == *other;
}

static void confine(void) {
    static const unsigned long all = READ_FILE | WRITE_FILE | REFER;
    static char entries[4096] __attribute__((aligned(8)));
    if (call(LANDLOCK_CREATE_RULESET, 0, 0, VERSION, 0) < KNOWS_REFER) return;
    long rules = call(LANDLOCK_CREATE_RULESET, (long)&all, sizeof all, 0, 0);
    long root = call(OPENAT, AT_FDCWD, (long)"/", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (rules < 0 || root < 0) leave(CANNOT_CONFINE);
    for (long got; (got = call(GETDENTS64, root, (long)entries, sizeof entries, 0)) > 0;)
        for (long at = 0; at < got; at += ((struct entry *)(entries + at))->size) {
            const struct entry *found = (struct entry *)(entries + at);
            if (found->kind != LINK && !is_dots(found->name) && !is(found->name, "proc") && !is(found->name, "sys") &&
                !is(found->name, "dev"))
                allow(rules, root, found->name, all);
        }
    for (const char *const *path = own_files; *path; path++) allow(rules, AT_FDCWD, *path, READ_FILE);
    for (const char *const *path = devices; *path; path++) allow(rules, AT_FDCWD, *path, all);
    if (call(LANDLOCK_RESTRICT_SELF, rules, 0, 0, 0) < 0) leave(CANNOT_CONFINE);
    call(CLOSE, rules, 0, 0, 0);
    call(CLOSE, root, 0, 0, 0);
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

static void take_log_socket(void) {
    long socket = call(SOCKET, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 0);
    if (socket < 0 || call(CONNECT, socket, (long)&log_socket, sizeof log_socket, 0) < 0) leave(NO_LOG);
    call(DUP3, socket, 1, 0, 0);
    call(DUP3, socket, 2, 0, 0);
}

__attribute__((used)) void begin(long *stack) {
    char **arguments = (char **)stack + 2;
    char **environment = (char **)stack + stack[0] + 2;
    if (stack[0] < 2) leave(NOT_FOUND);
    /* Nobody looks into this process or opens its files through /proc. */
    call(PRCTL, PR_SET_DUMPABLE, 0, 0, 0);
    take_log_socket();
    long program = call(CLONE, SIGCHLD, 0, 0, 0);
    if (program == 0) {
        confine();
        long code = become(arguments, environment);
        say(2, "pigpen: cannot run ");
        say(2, arguments[0]);
        say(2, code == NOT_FOUND ? ": there is no such program in the image\n" : ": it is no program, or not for everyone\n");
        leave(code);
    }
    if (program < 0) leave(CANNOT_RUN);
    int status = 0;
    while (call(WAIT4, -1, (long)&status, 0, 0) != program) {}
    long code = status & 127 ? BY_SIGNAL + (status & 127) : status >> 8 & 255;
    leave(code == KILLED ? WAS_KILLED : code);
}
