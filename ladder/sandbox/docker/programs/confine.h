/*
 * Make the process the bot's user's, which has no capability and can get none.
 *
 * Keep the program from reading and writing what the kernel tells of all containers together, with Landlock, which needs
 * no rights: of /proc a few files of its own first process, of /dev what is no terminal, and of /proc and /sys the copies
 * that tell of processors. A file such as /proc/PID/smaps, which counts who else maps a page, cannot be masked by its
 * path. Where the kernel has no Landlock, the masks of the engine stand alone.
 *
 * A rule is about a file as the kernel has it in memory. The kernel may forget a file of /proc and make it anew, for which
 * there is no rule then: so the process's own files stay open until it becomes another program; then `launcher.c` has them.
 */
enum { LINK = 10 };
enum { CAP_SETUID = 7, CAP_SETPCAP = 8, PR_CAPBSET_DROP = 24 };
enum { READ_FILE = 1 << 2, WRITE_FILE = 1 << 1, REFER = 1 << 13, VERSION = 1, PATH_BENEATH = 1, KNOWS_REFER = 2 };

static const char *const own_files[] = {
    "/proc/self/auxv", "/proc/self/cgroup", "/proc/self/cmdline", "/proc/self/comm", "/proc/self/environ",
    "/proc/self/limits", "/proc/self/maps", "/proc/self/mountinfo", "/proc/self/mounts", "/proc/self/stat",
    "/proc/self/statm", "/proc/self/status", 0,
};
/* Copies of ours that never change (limits.py). */
static const char *const processors[] = {
    "/proc/cpuinfo", "/sys/devices/system/cpu/online", "/sys/devices/system/cpu/possible", "/sys/devices/system/cpu/present", 0,
};
static const char *const devices[] = {
    "/dev/null", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm", "/dev/mqueue", 0,
};

/* Add a rule; the file's number, or less than 0. */
static int allow(long rules, long folder, const char *name, unsigned long access) {
    struct {
        unsigned long access;
        int file;
    } __attribute__((packed)) rule = {access, (int)call(OPENAT, folder, (long)name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0)};
    if (rule.file < 0) return rule.file;
    if (call(LANDLOCK_ADD_RULE, rules, PATH_BENEATH, (long)&rule, 0) < 0) {
        rule.access &= READ_FILE | WRITE_FILE; /* all that there is for what is no folder */
        call(LANDLOCK_ADD_RULE, rules, PATH_BENEATH, (long)&rule, 0);
    }
    return rule.file;
}

static void allow_and_close(long rules, long folder, const char *name, unsigned long access) {
    int file = allow(rules, folder, name, access);
    if (file >= 0) call(CLOSE, file, 0, 0, 0);
}

static int is(const char *one, const char *other) {
    while (*one && *one == *other) one++, other++;
    return *one == *other;
}

/* Whether this process is *user*'s now, and for good; 0: it stays whose it is. */
static int become_user(long user) { return !user || call(SETRESUID, user, user, user, 0) == 0; }

/* Whether that was done; the second half, or there is no Landlock here. */
static int confine(long user) {
    static const unsigned long all = READ_FILE | WRITE_FILE | REFER;
    static char entries[4096] __attribute__((aligned(8)));
    call(PRCTL, PR_CAPBSET_DROP, CAP_SETUID, 0, 0);
    call(PRCTL, PR_CAPBSET_DROP, CAP_SETPCAP, 0, 0);
    if (!become_user(user)) return 0;
    if (call(LANDLOCK_CREATE_RULESET, 0, 0, VERSION, 0) < KNOWS_REFER) return 1;
    long rules = call(LANDLOCK_CREATE_RULESET, (long)&all, sizeof all, 0, 0);
    long root = call(OPENAT, AT_FDCWD, (long)"/", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (rules < 0 || root < 0) return 0;
    for (long got; (got = call(GETDENTS64, root, (long)entries, sizeof entries, 0)) > 0;)
        for (long at = 0; at < got; at += ((struct entry *)(entries + at))->size) {
            const struct entry *found = (struct entry *)(entries + at);
            if (found->kind != LINK && !is_dots(found->name) && !is(found->name, "proc") && !is(found->name, "sys") &&
                !is(found->name, "dev"))
                allow_and_close(rules, root, found->name, all);
        }
    for (const char *const *path = own_files; *path; path++) allow(rules, AT_FDCWD, *path, READ_FILE);
    for (const char *const *path = processors; *path; path++) allow_and_close(rules, AT_FDCWD, *path, READ_FILE);
    for (const char *const *path = devices; *path; path++) allow_and_close(rules, AT_FDCWD, *path, all);
    int confined = call(LANDLOCK_RESTRICT_SELF, rules, 0, 0, 0) >= 0;
    call(CLOSE, rules, 0, 0, 0);
    call(CLOSE, root, 0, 0, 0);
    return confined;
}
