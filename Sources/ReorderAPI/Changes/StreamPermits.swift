import Synchronization

/// Leave to hold a stream open, for so many at once.
final class StreamPermits: Sendable {
    private let limit: Int
    private let count = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// One stream's leave, given back when it is released.
    final class Permit: Sendable {
        private let permits: StreamPermits

        fileprivate init(_ permits: StreamPermits) {
            self.permits = permits
        }

        deinit { permits.count.subtract(1, ordering: .relaxed) }
    }

    /// - Returns: `nil` where as many are open as may be.
    func take() -> Permit? {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            count.subtract(1, ordering: .relaxed)
            return nil
        }
        return Permit(self)
    }
}
