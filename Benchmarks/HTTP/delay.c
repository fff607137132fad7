// Delays each sync of the program that loads this library, like a slow disk: DELAY_US has the microseconds.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int delayed(const char *name, int descriptor) {
    const char *text = getenv("DELAY_US");
    if (text) usleep(atoi(text));
    int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return sync(descriptor);
}

int fsync(int descriptor) { return delayed("fsync", descriptor); }

int fdatasync(int descriptor) { return delayed("fdatasync", descriptor); }
