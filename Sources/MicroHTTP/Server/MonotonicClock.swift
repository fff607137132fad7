import Glibc

/// A time that only ever goes on; not that of any calendar.
func monotonicNanoseconds() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1_000_000_000 + now.tv_nsec
}

func monotonicMilliseconds() -> Int { monotonicNanoseconds() / 1_000_000 }
