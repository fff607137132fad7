import ReorderStore
import Synchronization

/// What the responses that were decided on a change, or that are stored, wait for.
class CommitTicket: @unchecked Sendable {
    enum Outcome: UInt8, AtomicRepresentable {
        case pending
        case durable
        /// Another server has changed the list first: nothing was stored.
        case overtaken
        /// Nothing was stored.
        case unavailable
        /// The store was lost during the commit: the change is stored, or will be, or not.
        case unknown
    }

    // `@unchecked` only because the class has subclasses: all of its state is this.
    private let state = Atomic<Outcome>(.pending)

    /// What has become of it. Once it is not pending it does not change.
    var outcome: Outcome { state.load(ordering: .acquiring) }

    func conclude(_ outcome: Outcome) {
        _ = state.compareExchange(
            expected: .pending, desired: outcome, ordering: .acquiringAndReleasing)
    }

    /// The outcome of both: pending until both are known; a failure if either failed.
    static func outcome(_ first: CommitTicket?, _ second: CommitTicket?) -> Outcome {
        let outcome = first?.outcome ?? .durable
        guard let second else { return outcome }
        let other = second.outcome
        switch (outcome, other) {
        case (.pending, _), (_, .pending): return .pending
        case (.durable, let outcome), (let outcome, _): return outcome
        }
    }
}

/// The next version of a list, and the responses that are stored with it.
final class ListEntry: CommitTicket, @unchecked Sendable {
    let commit: ListCommit
    let list: CachedList
    let responses: [StoredResponse]

    init(commit: ListCommit, list: CachedList, responses: [StoredResponse]) {
        self.commit = commit
        self.list = list
        self.responses = responses
    }
}

/// Responses that are stored without a change.
final class ResponsesEntry: CommitTicket, @unchecked Sendable {
    let responses: [StoredResponse]

    init(_ responses: [StoredResponse]) {
        self.responses = responses
    }
}
