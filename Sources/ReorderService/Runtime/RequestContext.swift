import Dispatch
import Foundation
import ReorderEngine
import ReorderStore
import Synchronization

/// What runs a request.
package protocol RequestHost: Resumable {
    /// Runs the request from its beginning, and calls `decided` or `waits` on its context.
    func run()
}

/// What the service knows of one request while it is handled.
///
/// A request is a function that runs from its beginning to its end without waiting. If it needs something
/// that is not there, it has that fetched, throws `ServiceError.waiting`, and runs again from its beginning
/// once it is resumed; what it has learnt until then is here, so that it gets further the next time. Once it
/// has decided, its response waits until the versions that it was decided on are durable.
///
/// `@unchecked Sendable`: only the thread that runs the request touches this, and a request moves to a worker
/// thread and back through queues. `isWorking` is atomic.
package final class RequestContext: @unchecked Sendable {
    package let service: ListService
    /// Runs the request, and owns this. To be set before the request runs.
    package unowned var host: any RequestHost = NoHost.shared
    /// When the request came, for what it stores. The same in each run.
    private(set) lazy var time = service.clock()

    private enum Phase {
        /// To be run.
        case ready
        /// To be run when it is resumed.
        case waiting
        /// A worker runs it.
        case working
        /// It has decided; the response may have to wait.
        case decided
        case ended
    }

    private var phase = Phase.ready
    /// What the phase is to be once the worker has finished.
    private var phaseAfterWork = Phase.ready
    /// Whether the request was resumed while the worker ran it.
    private var wasResumed = false
    /// The worker that is to run the request next.
    private var worker: WorkerThreads.Size?
    /// Why the request could not be run.
    private var failure: ServiceError?
    /// Whether the worker that runs it has not finished.
    private let isWorking = Atomic<Bool>(false)
    /// Until when the request is decided again if other servers were faster.
    private var deadline: DispatchTime?

    /// Nothing can be decided before this is durable, or has failed.
    private var blocker: CommitTicket?
    /// What it waits for, has learnt and holds. Most requests need none of it.
    private(set) var existingProgress: RequestProgress?

    var progress: RequestProgress {
        if let existingProgress { return existingProgress }
        let progress = RequestProgress()
        existingProgress = progress
        return progress
    }

    /// What tells of changes to a list while the request waits for them.
    package var watch: ListWatch? {
        get { existingProgress?.watch }
        set { progress.watch = newValue }
    }

    // What it was decided on.

    private var ticket: CommitTicket?
    private var otherTicket: CommitTicket?
    /// Responses to store once the tickets are durable.
    var unstoredResponses: [StoredResponse] = []

    package init(_ service: ListService) { self.service = service }

    deinit { release(isDone: false) }

    // MARK: The course of a request

    /// What is to be done with a request.
    package enum Step {
        case run
        /// Ask again when the request is resumed.
        case wait
        /// Ask again after a commit.
        case hold
        /// The response may be sent.
        case finish
        /// Nothing of what was decided is durable. This is to be sent instead.
        case fail(ServiceError)
    }

    /// What to do next. To be called on the thread of the request.
    ///
    /// - Parameter isResumed: whether the request was resumed since the last call.
    package func next(isResumed: Bool) -> Step {
        switch phase {
        case .working:
            guard !isWorking.load(ordering: .acquiring) else {
                wasResumed = wasResumed || isResumed
                return .wait
            }
            // This call is for the end of the work. What the run waits for resumes the request by itself.
            phase = phaseAfterWork
            defer { wasResumed = false }
            return next(isResumed: wasResumed)
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
        unstoredResponses = []
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
        case .unknown: return .fail(.outcomeUnknown)
        }
    }

    /// The run has ended with a response.
    package func decided() { leave(.decided) }

    /// The run has ended with `ServiceError.waiting`.
    package func waits() {
        if let size = worker.take() { return work(size) }
        leave(blocker == nil ? .waiting : .ready)
    }

    private func leave(_ next: Phase) {
        if phase == .working { phaseAfterWork = next } else { phase = next }
    }

    /// Has a worker run the request, which does not run now.
    private func work(_ size: WorkerThreads.Size) {
        phase = .working
        isWorking.store(true, ordering: .relaxed)
        let isTaken = service.workers.run(size) { [self, host] in
            host.run()
            isWorking.store(false, ordering: .releasing)
            host.resume()
        }
        guard !isTaken else { return }
        isWorking.store(false, ordering: .relaxed)
        if let held = existingProgress?.held.take() { service.release(held) }
        failure = .unavailable
        phase = .decided
    }

    /// The response was sent, or nobody waits for it any longer.
    package func end(isDone: Bool) {
        // A worker that runs it still has it, and releases it then.
        guard phase != .working, phase != .ended else { return }
        phase = .ended
        release(isDone: isDone)
    }

    private func release(isDone: Bool) {
        guard let progress = existingProgress.take() else { return }
        if let step = progress.dragUpdate { service.finish(step, isDone: isDone) }
        progress.claim?.release()
        progress.operationClaim?.release()
        for list in progress.pinned { service.unpin(list) }
    }

    /// Has the request decided again from the start, because another server was faster.
    ///
    /// - Throws: `unavailable` if that has gone on for 10 seconds.
    func startAgain() throws(ServiceError) {
        let now = DispatchTime.now()
        if deadline == nil { deadline = now + Self.patienceSeconds }
        if let deadline, now >= deadline { throw .unavailable }
        (ticket, otherTicket, blocker) = (nil, nil, nil)
        guard let progress = existingProgress else { return }
        progress.startAgain()
        if case .lifted? = progress.dragUpdate, let step = progress.dragUpdate.take() {
            service.finish(step, isDone: false)
        }
    }

    private static let patienceSeconds = 10.0

    // MARK: Waiting

    /// The result of other work, if it is there; else the work begins, and the run ends here.
    ///
    /// - Parameter begin: begins the work, which fills the reply.
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
        // It may have come at once.
        guard let result = progress[keyPath: slot]?.result else { throw .waiting }
        return try result.get()
    }

    /// What the run has been decided on by now that is not durable yet.
    var pendingTicket: CommitTicket? {
        [ticket, otherTicket].lazy.compactMap(\.self).first { $0.outcome == .pending }
    }

    /// What `decide` has decided, once it is durable; until then the run ends here.
    func durable<Value>(
        _ slot: ReferenceWritableKeyPath<RequestProgress, Decided<Value>?>,
        _ decide: () throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        while true {
            if let decided = progress[keyPath: slot] {
                switch decided.ticket?.outcome ?? .durable {
                case .durable: return decided.value
                case .pending: throw wait(untilDurable: decided.ticket)
                case .overtaken, .unavailable, .unknown: progress.listStates = nil
                }
            }
            let value = try decide()
            progress[keyPath: slot] = Decided(value: value, ticket: pendingTicket)
            discardTickets()
        }
    }

    /// Ends the run; the next one is after the commit of a change.
    func wait(untilDurable ticket: CommitTicket?) -> ServiceError {
        blocker = ticket
        return .waiting
    }

    /// The response waits until this is durable.
    func decide(on ticket: CommitTicket?) {
        guard let ticket, ticket.outcome != .durable else { return }
        if self.ticket == nil { self.ticket = ticket } else { otherTicket = ticket }
    }

    /// What an earlier part of the run was decided on counts no more.
    func discardTickets() { (ticket, otherTicket) = (nil, nil) }

    /// Whether a worker thread runs the request, so that it may take long.
    package var isOnWorker: Bool { phase == .working }

    /// Ends the run; the next one is on a worker thread.
    package func wait(forWorker size: WorkerThreads.Size) -> ServiceError {
        worker = size
        return .waiting
    }

    // MARK: Lists that stay in memory

    func pin(_ list: CachedList, _ state: inout CachedList.State) {
        state.pins += 1
        progress.pinned.append(list)
    }

    /// Lets the lists leave memory again.
    func unpin() {
        guard let progress = existingProgress, !progress.pinned.isEmpty else { return }
        for list in progress.pinned { service.unpin(list) }
        progress.pinned = []
    }
}

/// The host of a context that has none yet.
private final class NoHost: RequestHost {
    static let shared = NoHost()
    func run() {}
    func resume() {}
}

/// Something that was decided, and what it waits for.
struct Decided<Value> {
    var value: Value
    var ticket: CommitTicket?
}
