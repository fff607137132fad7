import ReorderStore
import Synchronization

/// The outcome of a commit, for the responses that wait for it.
final class CommitTicket: Sendable {
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
///
/// A response keeps only the ticket. So the memory of the rest is released on the committer's
/// thread. For a large commit, this takes too long for an event loop.
final class QueuedCommit: Sendable {
    let ticket = CommitTicket()
    let commit: ListCommit
    let list: CachedList
    let responses: [StoredResponse]
    let size: Size

    init(commit: ListCommit, list: CachedList, responses: [StoredResponse], size: Size) {
        self.commit = commit
        self.list = list
        self.responses = responses
        self.size = size
    }

    /// How long the commit takes.
    enum Size {
        case small
        /// So long that commits of other lists may wait for one medium commit, but not for several.
        case medium
        /// So long that commits of other lists must not wait for this one.
        case large
    }
}

/// Responses that are stored without a change.
struct QueuedResponses {
    let ticket = CommitTicket()
    var responses: [StoredResponse]
}
