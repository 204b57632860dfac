/* A process that loads this first (LD_PRELOAD) has a clock that is PIGPEN_CLOCK_OFF seconds off. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long off(void) {
    const char *text = getenv("PIGPEN_CLOCK_OFF");
    return text ? atol(text) : 0;
}

int clock_gettime(clockid_t id, struct timespec *told) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int done = next(id, told);
    if (!done && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) told->tv_sec += off();
    return done;
}

int gettimeofday(struct timeval *told, void *zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    told->tv_sec = now.tv_sec;
    told->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *told) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (told) *told = now.tv_sec;
    return now.tv_sec;
}
