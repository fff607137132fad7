import ReorderStore
import Synchronization

/// Which keys somebody is at work on. What is known of a key is read from the store first and decided
/// on a list later; whoever claims it keeps others from doing the same in between.
final class Claims: Sendable {
    private struct Waiter {
        let keys: [AnswerKey]
        let body: @Sendable () -> Void
    }

    private struct State {
        var held: Set<AnswerKey> = []
        /// First come, first served, as far as their keys are free.
        var waiters: [Waiter] = []

        /// All of them, or none.
        mutating func take(_ keys: [AnswerKey]) -> Bool {
            guard !keys.contains(where: held.contains) else { return false }
            held.formUnion(keys)
            return true
        }
    }

    private let state = Mutex(State())

    /// Claims a key where nobody has it.
    func claim(_ key: AnswerKey) -> Bool {
        state.withLock { $0.take([key]) }
    }

    /// Claims all keys once nobody has any of them, then runs `body`: at once, or on the thread of the
    /// one who releases the last. Who waits holds none of these, so nobody waits for each other.
    func claim(_ keys: [AnswerKey], then body: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            if state.take(keys) { return true }
            state.waiters.append(Waiter(keys: keys, body: body))
            return false
        }
        if isFree { body() }
    }

    func release(_ keys: [AnswerKey]) {
        let next = state.withLock { state in
            state.held.subtract(keys)
            var next: [Waiter] = []
            if !state.waiters.isEmpty {
                state.waiters.removeAll { waiter in
                    guard state.held.isDisjoint(with: waiter.keys) else { return false }
                    state.held.formUnion(waiter.keys)
                    next.append(waiter)
                    return true
                }
            }
            return next
        }
        for waiter in next { waiter.body() }
    }
}
