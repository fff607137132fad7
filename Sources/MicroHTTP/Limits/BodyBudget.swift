import Synchronization

/// Limits the memory of the content that body readers have built, over all event loops.
final class BodyBudget: Sendable {
    let limitBytes: Int
    private let used = Mutex(0)

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    var usedBytes: Int { used.withLock(\.self) }

    /// Changes the part of one body. If the limit would be exceeded, returns false and changes nothing.
    func change(from old: Int, to new: Int) -> Bool {
        used.withLock { used in
            guard new <= old || used - old + new <= limitBytes else { return false }
            used += new - old
            return true
        }
    }
}
