import ReorderStore
import Synchronization

/// The outcome of a commit, for the responses that wait for it.
class CommitTicket: @unchecked Sendable {
    enum Outcome: UInt8, AtomicRepresentable {
        case pending
        case durable
        /// Another server changed the list first. Nothing was stored.
        case overtaken
        /// Nothing was stored.
        case unavailable
        /// The connection to the store was lost during the commit. The change may or may not be
        /// stored.
        case unknown
    }

    // `@unchecked` is needed only because the class has subclasses. This is its only state.
    private let state = Atomic<Outcome>(.pending)

    /// The outcome. After it is no longer pending, it never changes.
    var outcome: Outcome { state.load(ordering: .acquiring) }

    func conclude(_ outcome: Outcome) {
        _ = state.compareExchange(
            expected: .pending, desired: outcome, ordering: .acquiringAndReleasing)
    }

    /// The combined outcome: pending until both are known, and a failure if either failed.
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
    /// Whether the commit takes so long that the commits of other lists must not wait for it.
    let isLarge: Bool

    init(commit: ListCommit, list: CachedList, responses: [StoredResponse], isLarge: Bool = false) {
        self.commit = commit
        self.list = list
        self.responses = responses
        self.isLarge = isLarge
    }
}

/// Responses that are stored without a change.
final class ResponsesEntry: CommitTicket, @unchecked Sendable {
    let responses: [StoredResponse]

    init(_ responses: [StoredResponse]) {
        self.responses = responses
    }
}
