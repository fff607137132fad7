// Shows the thread sanitizer the contended half of Swift's Mutex.
//
// On Linux the fast paths of Synchronization.Mutex are inlined, so the sanitizer sees their
// atomics. Under contention the lock changes its owner inside libswiftSynchronization, which is not
// instrumented. So the sanitizer would report every properly locked value as a race. An executable
// linked with this file resolves the slow paths to these functions, which do the same and report it
// to the sanitizer. Only scripts/check links this file; the product never does.
#define _GNU_SOURCE // RTLD_NEXT
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

void __tsan_acquire(void *address);
void __tsan_release(void *address);

static void *original(const char *symbol) {
    void *function = dlsym(RTLD_NEXT, symbol);
    if (!function) abort();
    return function;
}

SWIFT void mutexLock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void mutexLock(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))original(LOCK))(thread, handle);
    __tsan_acquire(handle);
}

SWIFT bool mutexTryLock(SELF) __asm__(TRY_LOCK);
SWIFT bool mutexTryLock(SELF) {
    bool locked = ((SWIFT bool (*)(SELF))original(TRY_LOCK))(handle);
    if (locked) __tsan_acquire(handle);
    return locked;
}

SWIFT void mutexUnlock(SELF) __asm__(UNLOCK);
SWIFT void mutexUnlock(SELF) {
    __tsan_release(handle);
    ((SWIFT void (*)(SELF))original(UNLOCK))(handle);
}
