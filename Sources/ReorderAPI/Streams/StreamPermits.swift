import Synchronization

/// Limits the number of open event streams.
final class StreamPermits: Sendable {
    private let limit: Int
    private let count = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// The permit of one open stream, returned when it is released.
    final class Permit: Sendable {
        private let permits: StreamPermits

        fileprivate init(_ permits: StreamPermits) {
            self.permits = permits
        }

        deinit { permits.count.subtract(1, ordering: .relaxed) }
    }

    /// The number of open streams.
    var openCount: Int { count.load(ordering: .relaxed) }

    /// - Returns: nil if the maximum number of streams is open.
    func take() -> Permit? {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            count.subtract(1, ordering: .relaxed)
            return nil
        }
        return Permit(self)
    }
}
