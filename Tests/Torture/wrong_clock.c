// Preloaded into a server: adds the two numbers in the file WRONG_CLOCK to its clocks, in seconds. The first is added to the time
// of day, the second to the clocks that are never set. They can change while the server runs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static const int64_t none[2];
static volatile const int64_t *added = none;

// The other functions of this file replace those of the library, for all callers.
static int true_time(clockid_t clock, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = dlsym(RTLD_NEXT, "clock_gettime");
    return next(clock, now);
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("WRONG_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *content = file < 0 ? MAP_FAILED : mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, file, 0);
    if (content == MAP_FAILED) abort();
    added = content;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = true_time(clock, now);
    switch (clock) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: now->tv_sec += added[0]; break;
    case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_COARSE: case CLOCK_MONOTONIC_RAW: case CLOCK_BOOTTIME: now->tv_sec += added[1];
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    *now = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

// The end of a short part of a wait, by the true clock. Returns whether the whole wait has ended, by the wrong one.
static int part(clockid_t clock, const struct timespec *end, struct timespec *part_end) {
    struct timespec now;
    clock_gettime(clock, &now);
    true_time(CLOCK_MONOTONIC, part_end);
    part_end->tv_nsec += 20000000;
    if (part_end->tv_nsec >= 1000000000) part_end->tv_sec++, part_end->tv_nsec -= 1000000000;
    return now.tv_sec > end->tv_sec || (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec);
}

// As in the kernel, a wait takes longer if the time of day is set back meanwhile.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict end) {
    for (;;) {
        struct timespec soon;
        if (part(CLOCK_REALTIME, end, &soon)) {
            if (sem_trywait(semaphore) == 0) return 0;
            errno = ETIMEDOUT;
            return -1;
        }
        if (sem_clockwait(semaphore, CLOCK_MONOTONIC, &soon) == 0) return 0;
        if (errno != ETIMEDOUT) return -1;
    }
}

// The caller must expect that it is woken without a signal. The time since the start of the machine is less than 30 years.
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict end) {
    struct timespec soon;
    if (part(end->tv_sec < 1000000000 ? CLOCK_MONOTONIC : CLOCK_REALTIME, end, &soon)) return ETIMEDOUT;
    int result = pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &soon);
    return result == ETIMEDOUT ? 0 : result;
}
