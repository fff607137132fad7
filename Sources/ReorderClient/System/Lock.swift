#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A value that one thread at a time uses. `Mutex` of `Synchronization` would need iOS 18 and macOS 15.
///
/// `@unchecked Sendable`: the value is only used while the mutex is locked.
final class Lock<Value: Sendable>: @unchecked Sendable {
    private var value: Value
    /// On the heap, because a mutex must keep its address.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init(_ value: Value) {
        self.value = value
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value, while no other thread uses it. A call of it in `body` would wait forever.
    func withLock<Result, Failure>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
