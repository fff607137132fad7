import Foundation
import ReorderEngine
import ReorderJSON

/// Runs a list's state machine: passes the time, executes its effects, and notifies subscribers.
///
/// **Isolation:** one lock protects the machine and the subscribers. With an actor, a table view
/// would have to await each row and each drop. With a lock, the work is done when the call returns,
/// on any thread including the main thread. The only blocking call under the lock is the write to
/// the outbox (not its sync).
///
/// **Life:** each `SyncedList` of the app is a handle of the runner. The runner stops when the last one is
/// closed; if the last one is only released, it first sends what waits.
final class ListRunner: Sendable {
    struct State {
        var machine: SyncMachine
        var armedDeadline: Double?
        var handles: Set<Int> = []
        var nextNumber = 0
        /// Weak, so that a consumer unsubscribes by releasing its subscription.
        var subscriptions: [Weak] = []
        var lastStatus: ListStatus?
        var flushes: [Flush] = []
        /// Whether the excerpt lacks changes, and is written soon.
        var isExcerptDue = false

        struct Weak: Sendable {
            let handle: Int
            weak var subscription: ListSubscription?
        }
    }

    let state: Lock<State>
    private let transport: any Transport
    let storage: any OutboxStorage
    let inbox: Inbox?
    let excerpt: ExcerptFile?
    /// The list of folds of the person, open until the runner stops; nil: tasks are folded for everyone.
    let folds: ListSubscription?
    /// Starts and cancels requests in the order of the machine's effects.
    let queue = DispatchQueue(label: "reorderd.client")
    private let cancels = Lock<[Int: @Sendable () -> Void]>([:])
    /// The time in seconds since any moment.
    private let clock: @Sendable () -> Double
    /// Called on the queue after the runner has stopped.
    private let onStop: @Sendable (ListRunner) -> Void
    /// Called with the lock after the status has changed.
    private let onStatus: @Sendable () -> Void

    init(
        machine: SyncMachine, transport: any Transport, storage: any OutboxStorage,
        inbox: Inbox? = nil, excerpt: ExcerptFile? = nil, folds: SyncedList? = nil,
        clock: @escaping @Sendable () -> Double,
        onStatus: @escaping @Sendable () -> Void = {},
        onStop: @escaping @Sendable (ListRunner) -> Void
    ) {
        state = Lock(State(machine: machine))
        self.transport = transport
        self.storage = storage
        self.inbox = inbox
        self.excerpt = excerpt
        self.folds = folds?.subscribe()
        self.clock = clock
        self.onStatus = onStatus
        self.onStop = onStop
    }

    var now: Double { clock() }

    // MARK: Reading and updating

    func read<Value>(_ body: (SyncMachine) -> Value) -> Value {
        state.withLock { body($0.machine) }
    }

    /// Changes the machine, then executes its effects.
    func update<Value: Sendable, Failure>(
        _ body: (inout SyncMachine, _ now: Double) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in
            defer { follow(&state) }
            return try body(&state.machine, now)
        }
    }

    /// The state of the synchronization.
    var status: ListStatus {
        read { machine in
            var status = machine.status
            status.lastContact = machine.heardAt.map { Date(timeIntervalSinceNow: $0 - now) }
            return status
        }
    }

    func subscribe(_ list: SyncedList) -> ListSubscription {
        state.withLock { state in
            let subscription = ListSubscription(list, start: state.machine.newest)
            if state.handles.contains(list.handle) {
                state.subscriptions.append(
                    State.Weak(handle: list.handle, subscription: subscription))
            } else {
                subscription.finish()
            }
            return subscription
        }
    }

    // MARK: Handles

    /// Begins to synchronize, if this is the first handle.
    ///
    /// - Returns: the number of the new handle; nil if the runner has stopped.
    func open() -> Int? {
        let opened = state.withLock { state -> (handle: Int, isFirst: Bool)? in
            guard !state.machine.isStopped else { return nil }
            state.nextNumber += 1
            state.handles.insert(state.nextNumber)
            return (state.nextNumber, state.nextNumber == 1)
        }
        guard let opened else { return nil }
        if opened.isFirst {
            followFolds()
            if let folds {
                Task { [weak self] in
                    for await _ in folds.signals where !folds.take().touched.isEmpty {
                        self?.followFolds()
                    }
                }
            }
            update { $0.advance(to: $1) }
            adoptInbox()
            state.withLock { writeExcerptSoon(&$0) }
        }
        return opened.handle
    }

    func isOpen(_ handle: Int) -> Bool { state.withLock { $0.handles.contains(handle) } }

    /// Ends a handle and its subscriptions. With the last one, the communication ends.
    ///
    /// - Parameter sendsFirst: whether the operations that wait are sent before that.
    func close(_ handle: Int, sendsFirst: Bool) {
        state.withLock { state in
            guard state.handles.remove(handle) != nil else { return }
            finishSubscriptions(&state) { $0 == handle }
            guard state.handles.isEmpty else { return }
            if !sendsFirst || state.machine.isSettled { stop(&state, sendsFirst: sendsFirst) }
        }
    }

    /// For the last reference to a handle, which any thread may release, also while it has the lock.
    func closeSoon(_ handle: Int) {
        queue.async { [self] in close(handle, sendsFirst: true) }
    }

    private func stop(_ state: inout State, sendsFirst: Bool) {
        guard !state.machine.isStopped else { return }
        state.machine.stop()
        execute(state.machine.takeEffects())
        finishSubscriptions(&state) { _ in true }
        storage.close(isWorthless: state.machine.isEmpty)
        endFlushes(&state)
        onStatus()
        // A list takes the lock of its folds while it has its own.
        if let list = folds?.list { list.runner.close(list.handle, sendsFirst: sendsFirst) }
        queue.async { [self] in
            writeExcerpt()
            onStop(self)
        }
    }

    /// Stops at once, with all handles. What waits stays in the file.
    func shutDown() {
        state.withLock { state in
            state.handles = []
            stop(&state, sendsFirst: false)
        }
    }

    private func finishSubscriptions(_ state: inout State, where belongs: (Int) -> Bool) {
        for reference in state.subscriptions where belongs(reference.handle) {
            reference.subscription?.finish()
        }
        state.subscriptions.removeAll { belongs($0.handle) }
    }

    // MARK: Folds

    /// Takes over the current folds of the person. O(folds).
    func followFolds() {
        guard let folds else { return }
        update { machine, _ in machine.fold(folds.list.runner.entries.states) }
    }

    /// The entries of this list of folds. O(tasks).
    private var entries: FoldEntries {
        read { $0.local.map { FoldEntries(of: $0.displayed) } ?? FoldEntries() }
    }

    // MARK: Effects

    func follow(_ state: inout State) {
        execute(state.machine.takeEffects())
        let touched = state.machine.takeTouched()
        state.subscriptions.removeAll { $0.subscription == nil }
        if let list = state.machine.shown, !touched.isEmpty {
            writeExcerptSoon(&state)
            for reference in state.subscriptions {
                reference.subscription?.changed(to: list, touched)
            }
        }
        let isNewStatus = state.machine.status != state.lastStatus
        if isNewStatus {
            state.lastStatus = state.machine.status
            onStatus()
        }
        if state.machine.takeNews() || isNewStatus {
            for reference in state.subscriptions { reference.subscription?.signal() }
        }
        endFlushes(&state)
        if state.handles.isEmpty, state.nextNumber > 0, state.machine.isSettled {
            stop(&state, sendsFirst: true)
        }
        arm(&state)
    }

    private func arm(_ state: inout State) {
        guard let deadline = state.machine.nextDeadline, deadline.isFinite,
            deadline < state.armedDeadline ?? .infinity
        else { return }
        state.armedDeadline = deadline
        queue.asyncAfter(deadline: .now() + max(0, deadline - now)) { [weak self] in
            self?.update(timerOf: deadline)
        }
    }

    private func update(timerOf deadline: Double) {
        state.withLock { state in
            if state.armedDeadline == deadline { state.armedDeadline = nil }
            state.machine.advance(to: now)
            follow(&state)
        }
    }

    private func execute(_ effects: [SyncMachine.Effect]) {
        for effect in effects { queue.async { [self] in execute(effect) } }
    }

    private func execute(_ effect: SyncMachine.Effect) {
        switch effect {
        case .start(let id, let request, let isWrite):
            guard !state.withLock(\.machine.isStopped) else { return }
            if isWrite {
                do {
                    try storage.sync()
                } catch {
                    // An operation that is not durable here must not be sent: after a crash it
                    // would be sent again under another id.
                    receive(.end(isComplete: false), of: id)
                    return
                }
            }
            let cancel = transport.start(request) { [weak self] event in
                self?.receive(event, of: id)
            }
            cancels.withLock { $0[id] = cancel }
        case .cancel(let id): cancels.withLock { $0.removeValue(forKey: id) }?()
        case .rewriteFile: rewriteFile()
        }
    }

    /// Without the lock, except for moments: it takes as long as the list is large.
    private func rewriteFile() {
        guard let file = state.withLock({ $0.machine.beginRewriting() })?.file else { return }
        let isPrepared = (try? storage.prepare(file)) != nil
        state.withLock { $0.machine.endRewriting(preparedBytes: isPrepared ? file.count : nil) }
        // After a failure, the sync before the next batch repeats it.
        try? storage.sync()
    }

    /// Contacts the server immediately, and takes over the operations of extensions.
    func retryNow() {
        update { $0.retryNow(at: $1) }
        adoptInbox()
    }

    /// Whether another client has used the file: nothing can be stored any more.
    var hasLostFile: Bool { storage.isLost }

    private func receive(_ event: TransportEvent, of id: Int) {
        if case .end = event {
            queue.async { [self] in cancels.withLock { _ = $0.removeValue(forKey: id) } }
        }
        update { $0.receive(event, of: id, at: $1) }
    }
}
