import Foundation
import ReorderEngine
import Synchronization

/// Runs a list's machine: gives it the time, does what it wants done, and tells who watches.
///
/// **Isolation:** one `Mutex` holds the machine and who watches. An actor would make every row that a
/// table view asks for, and every drop, wait for its turn; under a lock both are done when the call
/// returns, on whatever thread, the main one too. Nothing is waited for under the lock but the
/// journal's write (not its sync).
final class ListRunner: Sendable {
    private struct State {
        var machine: SyncMachine
        var armedDeadline: Double?
        /// Whoever stops watching lets go of its watcher.
        var watchers: [Weak] = []
        var nextContinuation = 0
        var statuses: [Int: AsyncStream<ListStatus>.Continuation] = [:]
        var refusals: [Int: AsyncStream<Refused>.Continuation] = [:]
        var lastStatus: ListStatus?

        struct Weak: Sendable {
            weak var watcher: DeltaWatcher?
        }
    }

    private let state: Mutex<State>
    private let transport: any Transport
    private let storage: any JournalStorage
    /// Requests start and are cancelled here, in the order in which the machine wants it.
    private let queue = DispatchQueue(label: "reorderd.client")
    private let cancels = Mutex<[Int: @Sendable () -> Void]>([:])
    private let epoch = ContinuousClock.now

    init(machine: SyncMachine, transport: any Transport, storage: any JournalStorage) {
        state = Mutex(State(machine: machine))
        self.transport = transport
        self.storage = storage
    }

    /// In seconds.
    private var now: Double { (ContinuousClock.now - epoch) / .seconds(1) }

    // MARK: Asking and doing

    func read<Value>(_ body: (SyncMachine) -> Value) -> Value {
        state.withLock { body($0.machine) }
    }

    /// Does something to the machine, and then what the machine wants done.
    func update<Value: Sendable>(
        _ body: (inout SyncMachine, _ now: Double) throws -> Value
    ) rethrows -> Value {
        try state.withLock { state in
            defer { follow(&state) }
            return try body(&state.machine, now)
        }
    }

    func start() { update { $0.advance(to: $1) } }

    func stop() {
        update { machine, _ in machine.stop() }
        state.withLock { state in
            for continuation in state.statuses.values { continuation.finish() }
            for continuation in state.refusals.values { continuation.finish() }
            for watcher in state.watchers { watcher.watcher?.finish() }
            (state.statuses, state.refusals, state.watchers) = ([:], [:], [])
        }
        storage.close()
    }

    // MARK: What the machine wants done

    private func follow(_ state: inout State) {
        for action in state.machine.takeActions() {
            queue.async { [self] in perform(action) }
        }
        let touched = state.machine.takeTouched()
        if let list = state.machine.model?.displayed, !touched.isEmpty {
            state.watchers.removeAll { $0.watcher == nil }
            for watcher in state.watchers { watcher.watcher?.changed(to: list, touched) }
        }
        tellRefusals(&state)
        let status = state.machine.status
        if status != state.lastStatus {
            state.lastStatus = status
            for continuation in state.statuses.values { continuation.yield(status) }
        }
        arm(&state)
    }

    /// Tells who listens; while nobody does, refusals wait in the journal.
    private func tellRefusals(_ state: inout State) {
        guard !state.refusals.isEmpty, !state.machine.refusals.isEmpty else { return }
        for refused in state.machine.waitingRefusals {
            for (id, continuation) in state.refusals {
                // This one has ended, and is about to be forgotten.
                if case .terminated = continuation.yield(refused) { state.refusals[id] = nil }
            }
            guard !state.refusals.isEmpty else { return }
        }
        state.machine.refusalsWereTold()
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

    private func perform(_ action: SyncMachine.Action) {
        switch action {
        case .start(let id, let request, let isWrite):
            if isWrite {
                do {
                    try storage.sync()
                } catch {
                    // What isn't safe here is not sent: after a loss it would be sent as another.
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

    // MARK: Who watches

    func watch() -> DeltaWatcher? {
        state.withLock { state in
            guard let list = state.machine.model?.displayed else { return nil }
            let watcher = DeltaWatcher(list: list)
            if state.machine.isStopped {
                watcher.finish()
            } else {
                state.watchers.append(State.Weak(watcher: watcher))
            }
            return watcher
        }
    }

    func watchStatus() -> AsyncStream<ListStatus> {
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

    func watchRefusals() -> AsyncStream<Refused> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Refused.self, bufferingPolicy: .bufferingNewest(SyncMachine.mostRefusals))
        state.withLock { state in
            guard !state.machine.isStopped else { return continuation.finish() }
            let id = state.nextContinuation
            state.nextContinuation += 1
            state.refusals[id] = continuation
            continuation.onTermination = { [weak self] _ in self?.forget(id) }
            tellRefusals(&state)
        }
        return stream
    }

    /// Not on the thread that ends a stream: it may hold the lock.
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
    /// How things stand; version 0 before the list is here.
    var status: ListStatus {
        ListStatus(
            connection: connection, pending: model?.pending.count ?? 0,
            version: model?.version ?? 0)
    }
}

extension TouchedRows {
    fileprivate var isEmpty: Bool {
        if case .operations(let operations) = self { return operations.isEmpty }
        return false
    }
}
