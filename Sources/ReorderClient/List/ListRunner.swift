import Foundation
import ReorderEngine
import ReorderJSON

/// Runs a list's state machine: passes the time, executes its effects, and notifies subscribers.
///
/// **Isolation:** one lock protects the machine and the subscribers. With an actor, a table view
/// would have to await each row and each drop. With a lock, the work is done when the call returns,
/// on any thread including the main thread. The only blocking call under the lock is the write to
/// the outbox (not its sync).
final class ListRunner: Sendable {
    private struct State {
        var machine: SyncMachine
        var armedDeadline: Double?
        /// Weak, so that a consumer unsubscribes by releasing its subscription.
        var subscriptions: [Weak] = []
        var nextContinuation = 0
        var statuses: [Int: AsyncStream<ListStatus>.Continuation] = [:]
        var refusals: [Int: AsyncStream<Refused>.Continuation] = [:]
        var lastStatus: ListStatus?
        /// If this is a list of folds: the lists that are seen with them.
        var foldedLists: [WeakRunner] = []

        struct Weak: Sendable {
            weak var subscription: DeltaSubscription?
        }

        struct WeakRunner: Sendable {
            weak var runner: ListRunner?
        }
    }

    private let state: Lock<State>
    private let transport: any Transport
    private let storage: any OutboxStorage
    /// The list of folds of the person; nil: tasks are seen as stored.
    private let folds: ListRunner?
    /// Starts and cancels requests in the order of the machine's effects.
    private let queue = DispatchQueue(label: "reorderd.client")
    private let cancels = Lock<[Int: @Sendable () -> Void]>([:])
    /// The time in seconds since any moment.
    private let clock: @Sendable () -> Double

    init(
        machine: SyncMachine, transport: any Transport, storage: any OutboxStorage,
        folds: ListRunner? = nil, clock: @escaping @Sendable () -> Double
    ) {
        state = Lock(State(machine: machine))
        self.transport = transport
        self.storage = storage
        self.folds = folds
        self.clock = clock
    }

    private var now: Double { clock() }

    // MARK: Reading and updating

    func read<Value>(_ body: (SyncMachine) -> Value) -> Value {
        state.withLock { body($0.machine) }
    }

    /// Changes the machine, then executes its effects.
    func update<Value: Sendable>(
        _ body: (inout SyncMachine, _ now: Double) throws -> Value
    ) rethrows -> Value {
        try state.withLock { state in
            defer { follow(&state) }
            return try body(&state.machine, now)
        }
    }

    func start() {
        folds?.state.withLock { $0.foldedLists.append(State.WeakRunner(runner: self)) }
        followFolds()
        update { $0.advance(to: $1) }
    }

    func stop() {
        update { machine, _ in machine.stop() }
        state.withLock { state in
            for continuation in state.statuses.values { continuation.finish() }
            for continuation in state.refusals.values { continuation.finish() }
            for reference in state.subscriptions { reference.subscription?.finish() }
            (state.statuses, state.refusals, state.subscriptions) = ([:], [:], [])
        }
        storage.close()
    }

    // MARK: Folds

    /// Takes over the current folds of the person. O(folds).
    func followFolds() {
        guard let folds else { return }
        update { machine, _ in machine.fold(folds.entries.states) }
    }

    private func followFoldsSoon() {
        queue.async { [weak self] in self?.followFolds() }
    }

    /// The entries of this list of folds. O(tasks).
    private var entries: FoldEntries {
        read { $0.local.map { FoldEntries(of: $0.displayed) } ?? FoldEntries() }
    }

    // MARK: Effects

    private func follow(_ state: inout State) {
        for effect in state.machine.takeEffects() {
            queue.async { [self] in execute(effect) }
        }
        let touched = state.machine.takeTouched()
        if let list = state.machine.shown, !touched.isEmpty {
            state.subscriptions.removeAll { $0.subscription == nil }
            for reference in state.subscriptions {
                reference.subscription?.changed(to: list, touched)
            }
            state.foldedLists.removeAll { $0.runner == nil }
            // On their queues: a list takes this lock while it has its own.
            for reference in state.foldedLists { reference.runner?.followFoldsSoon() }
        }
        deliverRefusals(&state)
        let status = state.machine.status
        if status != state.lastStatus {
            state.lastStatus = status
            for continuation in state.statuses.values { continuation.yield(status) }
        }
        arm(&state)
    }

    /// Delivers refusals to the consumers. Without a consumer, refusals stay in the outbox.
    private func deliverRefusals(_ state: inout State) {
        guard !state.refusals.isEmpty, !state.machine.refusals.isEmpty else { return }
        for refused in state.machine.undeliveredRefusals {
            for (id, continuation) in state.refusals {
                // This consumer has ended; `forget` removes it soon.
                if case .terminated = continuation.yield(refused) { state.refusals[id] = nil }
            }
            guard !state.refusals.isEmpty else { return }
        }
        state.machine.markRefusalsDelivered()
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

    private func execute(_ effect: SyncMachine.Effect) {
        switch effect {
        case .start(let id, let request, let isWrite):
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
        }
    }

    private func receive(_ event: TransportEvent, of id: Int) {
        if case .end = event {
            queue.async { [self] in cancels.withLock { _ = $0.removeValue(forKey: id) } }
        }
        update { $0.receive(event, of: id, at: $1) }
    }

    // MARK: Subscribers

    func subscribe() -> DeltaSubscription? {
        state.withLock { state in
            guard let list = state.machine.shown else { return nil }
            let subscription = DeltaSubscription(list: list)
            if state.machine.isStopped {
                subscription.finish()
            } else {
                state.subscriptions.append(State.Weak(subscription: subscription))
            }
            return subscription
        }
    }

    func statusStream() -> AsyncStream<ListStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ListStatus.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            continuation.yield(state.machine.status)
            guard !state.machine.isStopped else { return continuation.finish() }
            let id = state.nextContinuation
            state.nextContinuation += 1
            state.statuses[id] = continuation
            continuation.onTermination = { [weak self] _ in self?.forget(id) }
        }
        return stream
    }

    func refusalStream() -> AsyncStream<Refused> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Refused.self, bufferingPolicy: .bufferingNewest(SyncMachine.maximumRefusals))
        state.withLock { state in
            guard !state.machine.isStopped else { return continuation.finish() }
            let id = state.nextContinuation
            state.nextContinuation += 1
            state.refusals[id] = continuation
            continuation.onTermination = { [weak self] _ in self?.forget(id) }
            deliverRefusals(&state)
        }
        return stream
    }

    /// Asynchronously, because the thread that ends a stream may hold the lock.
    private func forget(_ id: Int) {
        queue.async { [self] in
            state.withLock { state in
                state.statuses[id] = nil
                state.refusals[id] = nil
            }
        }
    }
}

extension SyncMachine {
    /// The state of the synchronization. The version is 0 until the list is loaded.
    var status: ListStatus {
        ListStatus(
            connection: connection, pending: local?.pending.count ?? 0,
            version: local?.version ?? 0)
    }
}

extension TouchedRows {
    fileprivate var isEmpty: Bool {
        if case .operations(let operations) = self { return operations.isEmpty }
        return false
    }
}
