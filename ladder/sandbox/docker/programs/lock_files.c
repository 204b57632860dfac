/*
 * Keeps every file of an image in memory: `lock_files MAX_BYTES`, in a container of that image, as root with the
 * capabilities IPC_LOCK and DAC_READ_SEARCH alone. Containers share the page cache of their images' files; while this
 * program lives, no one can tell from a page, or from the time of a look-up, what another container did to it.
 *
 * Reads each folder and link below /, and maps and locks each regular file: a mapped file keeps its inode, its name and
 * the folders above it in the kernel's memory as well. Other file systems (/proc, /sys, /dev) are passed over. Then it
 * says so on stdout and sleeps:
 *
 *     locked FILES BYTES     and it sleeps until it is killed
 *     read FILES BYTES       files may not be locked here; all have been read once, and it ends with exit code 0
 *
 * Exit codes: 3 a file cannot be opened, 4 more than MAX_BYTES, 5 more than MAX_FILES, 6 folders too deep.
 */

#include "system.h"

enum { AT_SYMLINK_NOFOLLOW = 0x100, STATX_BASIC_STATS = 0x7ff, PROT_READ = 1, MAP_SHARED = 1 };
enum { KIND = 0170000, FOLDER = 0040000, REGULAR = 0100000, LINK = 0120000 };
enum { CANNOT_OPEN = 3, TOO_LARGE = 4, TOO_MANY = 5, TOO_DEEP = 6 };
enum { PAGE = 4096, READS = 6, MAX_FILES = 60000, MAX_DEPTH = 500 };

__attribute__((used)) static const char source[] = "pigpen lock_files source sha256:" SOURCE;

struct facts {
    unsigned int mask, blksize;
    unsigned long attributes;
    unsigned int links, uid, gid;
    unsigned short mode, padding;
    unsigned long inode, size, blocks, attributes_mask;
    unsigned long times[8];
    unsigned int device[4]; /* of a device file: major, minor; of the file system: major, minor */
    unsigned long more[14];
};

static unsigned long most_bytes, bytes, files;
static unsigned int disk[2];
static int locks = 1;

static void look(long folder, const char *name, struct facts *found) {
    if (call6(STATX, folder, (long)name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, (long)found, 0) < 0)
        leave(CANNOT_OPEN);
}

static long open_file(long folder, const char *name, long flags) {
    long file = call(OPENAT, folder, (long)name, flags | O_NOFOLLOW | O_CLOEXEC, 0);
    if (file < 0) leave(CANNOT_OPEN);
    return file;
}

/* Read each page: the kernel counts the first reads of a page, and a read that counts takes longer. */
static void touch(long file, unsigned long size) {
    static char block[64 * PAGE];
    for (unsigned long at = 0; at < size; at += sizeof block)
        if (call(PREAD64, file, (long)block, sizeof block, (long)at) < 0) leave(CANNOT_OPEN);
}

/* Lock the pages of a file, or at least read them, and close it. */
static void lock_pages(long file, unsigned long size) {
    bytes += (size + PAGE - 1) / PAGE * PAGE;
    if (bytes > most_bytes) leave(TOO_LARGE);
    if (size) {
        long start = call6(MMAP, 0, (long)size, PROT_READ, MAP_SHARED, file, 0);
        if (start < 0 && start > -PAGE) leave(CANNOT_OPEN);
        if (locks && call(MLOCK, start, (long)size, 0, 0) < 0) locks = 0;
        for (int round = 0; round < READS; round++) touch(file, size);
    }
    call(CLOSE, file, 0, 0, 0);
}

static void walk(long folder, int depth);

static void take(long folder, const char *name, int depth) {
    struct facts found;
    look(folder, name, &found);
    if (++files > MAX_FILES) leave(TOO_MANY);
    if ((found.mode & KIND) == FOLDER) {
        if (found.device[2] == disk[0] && found.device[3] == disk[1])
            walk(open_file(folder, name, O_RDONLY | O_DIRECTORY), depth + 1);
    } else if ((found.mode & KIND) == REGULAR) {
        lock_pages(open_file(folder, name, O_RDONLY | O_NONBLOCK), found.size);
    } else if ((found.mode & KIND) == LINK) {
        char target[PAGE];
        call(READLINKAT, folder, (long)name, (long)target, sizeof target);
    }
}

/* Take all that is in a folder, and close it. */
static void walk(long folder, int depth) {
    char entries[2048] __attribute__((aligned(8)));
    if (depth > MAX_DEPTH) leave(TOO_DEEP);
    for (;;) {
        long got = call(GETDENTS64, folder, (long)entries, sizeof entries, 0);
        if (got < 0) leave(CANNOT_OPEN);
        if (!got) break;
        for (long at = 0; at < got; at += ((struct entry *)(entries + at))->size) {
            const char *name = ((struct entry *)(entries + at))->name;
            if (!is_dots(name)) take(folder, name, depth);
        }
    }
    call(CLOSE, folder, 0, 0, 0);
}

static unsigned long number(const char *text) {
    unsigned long value = 0;
    for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + (unsigned long)(*text - '0');
    return value;
}

static char *digits(char *end, unsigned long value) {
    do *--end = (char)('0' + value % 10);
    while (value /= 10);
    return end;
}

static void report(void) {
    char text[64], *at = text + sizeof text;
    *--at = 0;
    *--at = '\n';
    at = digits(at, bytes);
    *--at = ' ';
    at = digits(at, files);
    *--at = ' ';
    for (const char *word = locks ? "dekcol" : "daer"; *word; word++) *--at = *word;
    say(1, at);
}

__attribute__((used)) void begin(long *stack) {
    if (stack[0] != 2) leave(CANNOT_OPEN);
    most_bytes = number((const char *)stack[2]);
    struct facts root;
    look(AT_FDCWD, "/", &root);
    disk[0] = root.device[2];
    disk[1] = root.device[3];
    walk(open_file(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY), 0);
    report();
    while (locks) call6(PPOLL, 0, 0, 0, 0, 0, 0);
    leave(0);
}
