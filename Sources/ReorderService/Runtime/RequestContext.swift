import Foundation
import ReorderEngine
import ReorderStore
import Synchronization

/// The state of a request in the service.
///
/// A request is a function that runs from beginning to end without blocking. If it needs data that
/// is not available, it starts a lookup, throws `ServiceError.waiting`, and runs again from the
/// beginning when it is resumed. This object stores the results of lookups, so that each run gets
/// further. After its decision, the response waits until the versions that it was decided on are
/// durable.
///
/// `@unchecked Sendable`: only the thread that runs the request uses this object, and queues pass
/// the request to a worker thread and back. `isWorking` is atomic.
package final class RequestContext: @unchecked Sendable {
    package let service: ListService
    /// Runs the request, and owns this object.
    package unowned var host: any RequestHost = NoHost.shared
    /// The time of the request, for stored data. It is the same in each run.
    private(set) lazy var time = service.clock.now()

    private enum Phase {
        /// Ready to run.
        case ready
        /// Ready to run when it is resumed.
        case waiting
        /// Running on a worker.
        case working
        /// Decided. The response may have to wait.
        case decided
        case ended
    }

    private var phase = Phase.ready
    /// The phase after the worker has finished.
    private var phaseAfterWork = Phase.ready
    /// The kind of worker for the next run.
    private var worker: WorkerThreads.Size?
    /// The kind of worker that runs the request, or has run it last.
    private var currentWorker: WorkerThreads.Size?
    /// Why the request could not be run.
    private var failure: ServiceError?
    /// Whether the worker has not finished yet.
    private let isWorking = Atomic<Bool>(false)
    /// The kind of worker that the request's own thread has last passed it to.
    private var queue: WorkerThreads.Size?
    /// Whether the result that the last run on a worker waits for is not available yet.
    var isMissing: (() -> Bool)?
    /// Whether nobody waits for the response any more.
    private let isAbandoned = Atomic<Bool>(false)
    /// The uptime at which the request gives up if other servers are always faster.
    private var deadline: UInt64?

    /// The request can't be decided before this commit has ended.
    private var blocker: CommitTicket?
    /// The request's state beyond its first run. Most requests need none.
    private(set) var existingProgress: RequestProgress?

    /// `existingProgress`, created if it does not exist.
    var progress: RequestProgress {
        if let existingProgress { return existingProgress }
        let progress = RequestProgress()
        existingProgress = progress
        return progress
    }

    // The commits that the response waits for

    private var ticket: CommitTicket?
    private var otherTicket: CommitTicket?
    /// Whether the last run has changed a list.
    var hasChanged = false
    /// Responses to store when the tickets are durable.
    var unstoredResponses: [StoredResponse] = []

    package init(_ service: ListService) { self.service = service }

    deinit { release(isDone: false) }

    // MARK: The course of a request

    /// The next step for a request.
    package enum Step {
        case run
        /// Call `next` again when the request is resumed.
        case wait
        /// Call `next` again after a commit.
        case hold
        /// Send the response.
        case finish
        /// Send this error. The request could not run, or its commit failed or has an unknown
        /// outcome.
        case fail(ServiceError)
    }

    /// Returns the next step. Call it on the request's thread.
    ///
    /// - Parameter isResumed: whether the request was resumed since the last call.
    package func next(isResumed: Bool) -> Step {
        switch phase {
        case .working:
            guard !isWorking.load(ordering: .acquiring) else { return .wait }
            // The worker has resumed the request to report the end of the run. If the run now waits
            // for something else, that may have arrived too: two calls of `resume` can be one
            // resumption. A request that runs only on workers must not run again until then.
            phase = phaseAfterWork
            if phase == .waiting, let isMissing, isMissing() { return .wait }
            return next(isResumed: true)
        case .waiting:
            guard isResumed else { return .wait }
            phase = .ready
            return beginRun()
        case .ready:
            guard blocker?.outcome != .pending else { return .hold }
            blocker = nil
            return beginRun()
        case .decided: return afterDecision()
        case .ended: return .wait
        }
    }

    private func beginRun() -> Step {
        if existingProgress?.reading == nil { discardTickets() }
        (unstoredResponses, hasChanged, isMissing) = ([], false, nil)
        return .run
    }

    private func afterDecision() -> Step {
        if let failure { return .fail(failure) }
        switch CommitTicket.outcome(ticket, otherTicket) {
        case .pending: return .hold
        case .durable:
            guard !unstoredResponses.isEmpty else { return .finish }
            (ticket, otherTicket) = (service.commit(unstoredResponses), nil)
            unstoredResponses = []
            return afterDecision()
        case .overtaken:
            do throws(ServiceError) {
                try startAgain()
                phase = .ready
                return beginRun()
            } catch {
                return .fail(error)
            }
        case .unavailable: return .fail(.unavailable)
        // A request that changed nothing was decided on changes of others.
        case .unknown: return .fail(hasChanged ? .outcomeUnknown : .unavailable)
        }
    }

    /// Called when the run has ended with a response.
    package func decided() { leave(.decided) }

    /// Called when the run has ended with `ServiceError.waiting`.
    package func suspend() {
        // A worker passes the request on when the run has returned.
        if phase == .working, worker != nil { return }
        if let size = worker.take() { return work(size) }
        leave(blocker == nil ? .waiting : .ready)
    }

    private func leave(_ next: Phase) {
        if phase == .working { phaseAfterWork = next } else { phase = next }
    }

    /// Passes the request to a worker.
    private func work(_ size: WorkerThreads.Size) {
        phase = .working
        queue = size
        isWorking.store(true, ordering: .relaxed)
        guard !enqueue(for: size) else { return }
        isWorking.store(false, ordering: .relaxed)
        phase = .decided
    }

    /// Puts the request into the queue of a worker. If the worker refuses, the request fails.
    private func enqueue(for size: WorkerThreads.Size) -> Bool {
        let isTaken = service.workers.run(size) { [self, host] in
            if isAbandoned.load(ordering: .acquiring) {
                failure = .unavailable
                phaseAfterWork = .decided
            } else {
                currentWorker = size
                host.run()
                if let next = worker.take() {
                    guard !enqueue(for: next) else { return }
                    phaseAfterWork = .decided
                }
            }
            isWorking.store(false, ordering: .releasing)
            host.resume()
        }
        if !isTaken {
            if let copies = existingProgress?.copies.take() { service.release(copies) }
            failure = .unavailable
        }
        return isTaken
    }

    /// Whether a worker that searches has the request.
    package var isSearching: Bool { phase == .working && queue == .search }

    /// Makes the worker skip a search that it has not begun, because nobody waits for the response
    /// any more. The request fails with `unavailable`. Call it on the request's thread.
    package func abandonSearch() {
        if isSearching { isAbandoned.store(true, ordering: .releasing) }
    }

    /// Called when the response was sent or is no longer needed.
    package func end(isDone: Bool) {
        // A worker is still running the request, and releases everything afterwards.
        guard phase != .working, phase != .ended else { return }
        phase = .ended
        release(isDone: isDone)
    }

    private func release(isDone: Bool) {
        guard let progress = existingProgress.take() else { return }
        if let copies = progress.copies.take() { service.release(copies) }
        if let step = progress.dragUpdate { service.finish(step, isDone: isDone) }
        progress.claim?.release()
        progress.operationClaim?.release()
        progress.restoreClaim?.release()
        for list in progress.pinned { service.unpin(list) }
    }

    /// Starts the request again, because another server was faster.
    ///
    /// - Throws: `unavailable` after 10 seconds of such attempts.
    func startAgain() throws(ServiceError) {
        let deadline = deadline ?? service.environment.uptime(afterSeconds: Self.patienceSeconds)
        self.deadline = deadline
        if service.environment.uptime() >= deadline { throw .unavailable }
        (ticket, otherTicket, blocker) = (nil, nil, nil)
        guard let progress = existingProgress else { return }
        progress.startAgain()
        if case .lifted? = progress.dragUpdate, let step = progress.dragUpdate.take() {
            service.finish(step, isDone: false)
        }
    }

    private static let patienceSeconds = 10.0

    // MARK: Waiting

    /// Returns the result of other work if it is available. Otherwise it starts the work and ends
    /// the run.
    ///
    /// - Parameter begin: starts the work, which fills the reply.
    func wait<Value>(
        for slot: ReferenceWritableKeyPath<RequestProgress, Reply<Value>?>,
        _ begin: (Reply<Value>) throws(ServiceError) -> Void
    ) throws(ServiceError) -> Value {
        let progress = progress
        if progress[keyPath: slot] == nil {
            let reply = Reply<Value>(for: host)
            progress[keyPath: slot] = reply
            try begin(reply)
        }
        // The work may already have completed.
        return try result(of: progress[keyPath: slot]).get()
    }

    /// The ticket of a commit that the run was decided on and that is not durable: it is pending or
    /// has failed.
    var nonDurableTicket: CommitTicket? {
        [ticket, otherTicket].lazy.compactMap(\.self).first { $0.outcome != .durable }
    }

    /// Returns the result of `decide` when it is durable. Until then, the run ends here.
    func durable<Value>(
        _ slot: ReferenceWritableKeyPath<RequestProgress, Decided<Value>?>,
        _ decide: () throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        while true {
            if let decided = progress[keyPath: slot] {
                switch decided.ticket?.outcome ?? .durable {
                case .durable: return decided.value
                case .pending: throw wait(untilDurable: decided.ticket)
                case .overtaken, .unavailable, .unknown:
                    // Both are reset together. Deciding again may have to wait for new list states.
                    // If the decision were kept, the next run would discard these states.
                    progress[keyPath: slot] = nil
                    progress.listStates = nil
                }
            }
            let value = try decide()
            progress[keyPath: slot] = Decided(value: value, ticket: nonDurableTicket)
            discardTickets()
        }
    }

    /// Ends the run. The next run is after a commit.
    func wait(untilDurable ticket: CommitTicket?) -> ServiceError {
        blocker = ticket
        return .waiting
    }

    /// Makes the response wait for this commit too.
    func holdResponse(until ticket: CommitTicket?) {
        guard let ticket, ticket.outcome != .durable else { return }
        if self.ticket == nil { self.ticket = ticket } else { otherTicket = ticket }
    }

    /// Discards the tickets of an earlier part of the run.
    func discardTickets() { (ticket, otherTicket) = (nil, nil) }

    /// Whether a worker thread runs the request. Only then may the run take long.
    package var isOnWorker: Bool { phase == .working }

    /// Whether a worker for work of this size, or of larger work, runs the request.
    func isOnWorker(for size: WorkerThreads.Size) -> Bool {
        guard isOnWorker, let currentWorker else { return false }
        return currentWorker.rawValue >= size.rawValue
    }

    /// Ends the run. The next run is on a worker thread.
    package func wait(forWorker size: WorkerThreads.Size) -> ServiceError {
        worker = size
        return .waiting
    }

    // MARK: Lists that stay in memory

    func pin(_ list: CachedList, _ state: inout CachedList.State) {
        state.pins += 1
        progress.pinned.append(list)
    }

    /// Allows the pinned lists to be evicted.
    func unpin() {
        guard let progress = existingProgress, !progress.pinned.isEmpty else { return }
        for list in progress.pinned { service.unpin(list) }
        progress.pinned = []
    }
}

/// A decision, and the commit that it waits for.
struct Decided<Value> {
    var value: Value
    var ticket: CommitTicket?
}
