import Glibc

/// The time in nanoseconds of a clock that never goes back.
package typealias MonotonicClock = @Sendable () -> Int

/// The time since the system's start, which never goes back.
@Sendable func monotonicNanoseconds() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1_000_000_000 + now.tv_nsec
}

func monotonicMilliseconds() -> Int { monotonicNanoseconds() / 1_000_000 }
