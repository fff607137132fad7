import Foundation
import ReorderEngine
import ReorderStore
import Synchronization

/// The state of a request in the service.
///
/// A request is a function that runs from beginning to end without blocking. If it needs data that
/// is not available, it starts a lookup, throws `ServiceError.waiting`, and runs again from the
/// beginning when it is resumed. This object stores the results of lookups, so that each run gets
/// further.
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
        /// The response is known.
        case decided
        case ended
    }

    private var phase = Phase.ready
    /// The phase after the worker has finished.
    private var phaseAfterWork = Phase.ready
    /// The kind of worker for the next run.
    private var worker: WorkerThreads.Size?
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
    /// The request's state beyond its first run. Most requests need none.
    private(set) var existingProgress: RequestProgress?

    /// `existingProgress`, created if it does not exist.
    var progress: RequestProgress {
        if let existingProgress { return existingProgress }
        let progress = RequestProgress()
        existingProgress = progress
        return progress
    }

    package init(_ service: ListService) { self.service = service }

    deinit { release(isDone: false) }

    // MARK: The course of a request

    /// The next step for a request.
    package enum Step {
        case run
        /// Call `next` again when the request is resumed.
        case wait
        /// Send the response.
        case finish
        /// Send this error. The request could not run.
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
        case .ready: return beginRun()
        case .decided: return failure.map { .fail($0) } ?? .finish
        case .ended: return .wait
        }
    }

    private func beginRun() -> Step {
        isMissing = nil
        return .run
    }

    /// Called when the run has ended with a response.
    package func decided() { leave(.decided) }

    /// Called when the run has ended with `ServiceError.waiting`.
    package func suspend() {
        // A worker passes the request on when the run has returned.
        if phase == .working, worker != nil { return }
        if let size = worker.take() { return work(size) }
        leave(.waiting)
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
                host.run()
                if let next = worker.take() {
                    guard !enqueue(for: next) else { return }
                    phaseAfterWork = .decided
                }
            }
            isWorking.store(false, ordering: .releasing)
            host.resume()
        }
        if !isTaken { failure = .unavailable }
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
        if let step = existingProgress.take()?.dragUpdate { service.finish(step, isDone: isDone) }
    }

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

    /// Returns what an earlier run has found. Otherwise it calls `find`.
    func once<Value>(
        _ slot: ReferenceWritableKeyPath<RequestProgress, Value?>,
        _ find: () throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        if let found = existingProgress?[keyPath: slot] { return found }
        let found = try find()
        progress[keyPath: slot] = found
        return found
    }

    /// Whether a worker thread runs the request. Only then may the run take long.
    package var isOnWorker: Bool { phase == .working }

    /// Ends the run. The next run is on a worker thread.
    package func wait(forWorker size: WorkerThreads.Size) -> ServiceError {
        worker = size
        return .waiting
    }
}
