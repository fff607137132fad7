import Dispatch
import Foundation

/// A semaphore whose waits end by the clock that is never set. On Linux, those of `DispatchSemaphore` end by the time of day:
/// if that is set back by a day, a wait takes a day longer.
///
/// Unchecked, because the lock guards `count`, and all threads may use the lock and the condition.
package final class TimedSemaphore: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let isSignaled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var count = 0

    package init() {
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(isSignaled, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(isSignaled)
        isSignaled.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    package func signal() {
        pthread_mutex_lock(lock)
        count += 1
        pthread_cond_signal(isSignaled)
        pthread_mutex_unlock(lock)
    }

    package func wait() { wait(until: .distantFuture) }

    /// - Returns: whether it was signaled before this time.
    @discardableResult package func wait(until time: DispatchTime) -> Bool {
        // The distant future, in nanoseconds, is 2^64 - 1.
        let (seconds, nanoseconds) = time.uptimeNanoseconds.quotientAndRemainder(
            dividingBy: 1_000_000_000)
        var end = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while count == 0 {
            if pthread_cond_timedwait(isSignaled, lock, &end) == ETIMEDOUT, count == 0 {
                return false
            }
        }
        count -= 1
        return true
    }
}
