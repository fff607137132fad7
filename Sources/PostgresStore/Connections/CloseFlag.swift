import Synchronization

/// A flag that is set once, for threads that outlive its owner.
final class CloseFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
