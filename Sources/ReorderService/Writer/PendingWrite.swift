import Foundation
import ReorderEngine
import ReorderStore

/// A write that waits for the writer.
///
/// `@unchecked Sendable`: one thread after the other uses it, in most cases the writer's.
final class PendingWrite: @unchecked Sendable {
    enum Outcome {
        case completed(WriteOutcome)
        case failed(ServiceError)
        /// The bin must be read first. The list does not exist at this version.
        case needsBin(version: Int)
    }

    let request: WriteRequest
    let facts: DecisionFacts?
    /// When the request arrived.
    let time: Date
    /// Stored responses that expire at this time or earlier have expired.
    let expiry: Date
    let renderer: any WriteRenderer
    /// While it is in a batch, the outcome if the batch is stored.
    var outcome: Outcome = .failed(.unavailable)
    /// Nil when it was called.
    private var done: (@Sendable (PendingWrite) -> Void)?

    // The writer's state

    /// Whether the writer has checked the key, and keeps other requests with it away.
    var hasKey = false
    /// The lists that stay in memory for this write.
    var pinned: [String] = []
    /// A list that could not be read for this write, which deletes it.
    var unreadable: String?
    /// The uptime at which the write gives up if other servers are always faster; nil before the
    /// first of them was.
    private var deadline: UInt64?
    private var attempts = 0
    /// The list and version in which the task was not found, although the store had named the list.
    var missed: ListVersion?

    /// - Parameter done: called with the write when it has an outcome, and what the outcome shows is
    ///   published. On any thread.
    init(
        _ request: WriteRequest, _ facts: DecisionFacts?, at time: Date, expiry: Date,
        _ renderer: any WriteRenderer,
        _ done: @escaping @Sendable (PendingWrite) -> Void
    ) {
        self.request = request
        self.facts = facts
        self.time = time
        self.expiry = expiry
        self.renderer = renderer
        self.done = done
    }

    /// Passes the outcome on, and releases what the request has kept for its write.
    func answer() { done.take()?(self) }

    /// Whether the write is to be decided again after others were faster.
    ///
    /// - Parameter isShared: whether the others are other servers. They can be faster many times, so
    ///   such a write gives up after some time. Otherwise a large append was faster, which is rare.
    func mayTryAgain(isShared: Bool, _ environment: ServiceEnvironment) -> Bool {
        attempts += 1
        guard isShared else { return attempts < Self.maximumAttempts }
        let deadline = deadline ?? environment.uptime(afterSeconds: Self.patienceSeconds)
        self.deadline = deadline
        return environment.uptime() < deadline
    }

    private static let maximumAttempts = 10
    private static let patienceSeconds = 10.0
}
