import Synchronization

/// Makes an operation once for all requests that need its result at the same time.
final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let waiting = Mutex<[Key: [Completion<Value>]]>([:])

    /// The number of operations that requests wait for.
    var count: Int { waiting.withLock(\.count) }

    /// Waits for the result of an operation.
    ///
    /// - Returns: ends the operation, for the caller that must begin it; nil if another one has begun it.
    func join(_ key: Key, _ done: @escaping Completion<Value>) -> Completion<Value>? {
        let isFirst = waiting.withLock { waiting in
            defer { waiting[key, default: []].append(done) }
            return waiting[key] == nil
        }
        guard isFirst else { return nil }
        return { [self] result in for done in take(key) { done(result) } }
    }

    /// Removes the requests that wait for an operation. The next request that joins it begins it again.
    func take(_ key: Key) -> [Completion<Value>] {
        waiting.withLock { $0.removeValue(forKey: key) } ?? []
    }
}
