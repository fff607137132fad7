import GRDB
import RandomRuns
import ReorderStore
import SimulatedDisk

@testable import SQLiteStore

/// A store on a simulated disk, together with what it must contain.
///
/// Each action is applied to both. If the disk stops during the action, or a sync of the store
/// fails, the next process opens the store. It must contain everything that was acknowledged. An
/// interrupted append must be stored as a whole or not at all.
struct DiskRun {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let disk: SimulatedDisk
    private(set) var model = ModelStore()
    var generator: SeededGenerator
    private(set) var restarts = 0
    /// The number of failed syncs that the store reported.
    private(set) var losses = 0
    private(set) var actions = 0
    /// The events so far, for people.
    private(set) var story: [String] = []
    private var store: SQLiteListStore?
    private var reader: DatabaseQueue?
    private let logBytes: Int
    let isServed: Bool
    var isFull = false
    /// The number of appends that found no space.
    private(set) var refusedAppends = 0

    static let path = SimulatedDisk.directory + "/lists.db"

    /// - Parameters:
    ///   - stop: stops the disk at one of its operations, from the store's creation on.
    ///   - isServed: whether the store keeps a reserve of disk space.
    init(
        on disk: SimulatedDisk? = nil, seed: UInt64, logBytes: Int,
        stop: (SimulatedDisk.Stop, atOperation: Int)? = nil,
        isServed: Bool = false
    ) throws {
        self.disk = disk ?? SimulatedDisk(seed: seed)
        generator = SeededGenerator(seed: ~seed)
        self.logBytes = logBytes
        self.isServed = isServed
        if let stop { self.disk.stop(stop.0, atOperation: stop.atOperation) }
        do {
            store = try open()
        } catch  where self.disk.hasStopped {
            // The first action opens it.
        }
    }

    private func open() throws -> SQLiteListStore {
        let store = try SQLiteListStore(
            path: Self.path, readers: 1, logBytes: logBytes,
            large: LargeCommit(tasks: 4, bytes: 700), steps: StepLimits(rows: 2, bytes: 300),
            files: disk)
        if isServed { _ = try store.prepareToServe() }
        return store
    }

    // MARK: Actions

    /// Performs an action, and recovers from a fault that occurs in it.
    mutating func perform(_ action: Action) throws {
        actions += 1
        note(action.description)
        if store == nil { try recover([model]) }
        guard let store else { throw Failure(description: "no store") }
        let before = model
        let failures = disk.failures
        // Another program's reader can keep the log from being emptied.
        let canRemove = store.reserve.isHeld && reader == nil && Self.onlyDeletes(action)
        do {
            try apply(action, to: store)
        } catch let error as StoreError {
            note("\(error)")
            if case .unavailable = error, canRemove, !disk.hasStopped, disk.failures == failures {
                throw Failure(description: "a deletion was refused despite the reserve")
            }
            try judge(error, of: action, failures: disk.failures - failures, store)
        }
        if !disk.hasStopped, generator.chance(20), let store = self.store {
            if let difference = try model.difference(from: store) {
                throw Failure(description: difference)
            }
        }
        if disk.hasStopped {
            note("stopped, acknowledged: \(isAcknowledged)")
            // The model has all acknowledged actions. An interrupted one may be stored or not.
            var after = before
            try? Self.apply(action, to: &after)
            try recover(isAcknowledged ? [model] : [before, after], repeating: action)
        }
    }

    /// Whether the last action succeeded, or was refused.
    private var isAcknowledged = true

    private mutating func apply(_ action: Action, to store: SQLiteListStore) throws {
        isAcknowledged = false
        switch action {
        case .append(let commits, let responses):
            try store.append(commits, responses: responses)
        case .prune(let time, let last, let limit):
            while try store.pruneChanges(olderThan: time, keepingLast: last, limit: limit) {}
        case .removeResponses(let time, let limit):
            while try store.removeResponses(expiredAt: time, limit: limit) {}
        case .pruneBin(let time, let limit):
            while try store.pruneBin(deletedBefore: time, limit: limit) {}
        case .tidy(let steps):
            var left = steps
            try store.tidy {
                left -= 1
                return left >= 0
            }
        case .reopen:
            closeReader()
            try store.close()
            self.store = nil
            guard !disk.hasStopped else { break }
            self.store = try open()
        case .toggleReader:
            if reader == nil { try? openReader() } else { closeReader() }
        }
        do throws(StoreError) {
            try Self.apply(action, to: &model)
        } catch {
            throw Failure(description: "the store accepted what must be refused with \(error)")
        }
        isAcknowledged = true
    }

    private static func apply(_ action: Action, to model: inout ModelStore) throws(StoreError) {
        switch action {
        case .append(let commits, let responses): try model.append(commits, responses: responses)
        case .prune(let time, let last, _): model.pruneChanges(olderThan: time, keepingLast: last)
        case .removeResponses(let time, _): model.removeResponses(expiredAt: time)
        case .pruneBin(let time, _): model.pruneBin(deletedBefore: time)
        case .tidy, .reopen, .toggleReader: break
        }
    }

    /// Checks an error that the store has thrown.
    private mutating func judge(
        _ error: StoreError, of action: Action, failures: Int, _ store: SQLiteListStore
    ) throws {
        if disk.hasStopped { return }
        switch error {
        case .lost where failures > 0:
            losses += 1
            try expectLoss(store)
            var after = model
            try? Self.apply(action, to: &after)
            disk.restart(after: generator.chance(50) ? .kill : .powerCut)
            try recover([model, after], repeating: action)
        case .unavailable where failures > 0 || isFull:
            if case .append = action {
                refusedAppends += isFull ? 1 : 0
                break
            }
            // The rest can be done when the fault is over.
            disk.cancelFaults()
            setFreeBytes(nil)
            if case .reopen = action { return try recoverAfterFailedOpening() }
            try perform(action)
        case .refused where failures > 0, .corrupt where failures > 0:
            guard case .reopen = action else { throw error }
            try recoverAfterFailedOpening()
        default:
            var after = model
            do throws(StoreError) {
                try Self.apply(action, to: &after)
            } catch let expected {
                guard expected == error else {
                    throw Failure(description: "\(error) instead of \(expected)")
                }
                isAcknowledged = true
                return
            }
            throw error
        }
    }

    private mutating func recoverAfterFailedOpening() throws {
        store = nil
        disk.restart(after: .kill)
        try recover([model])
    }

    /// After a failed sync, the store accepts nothing.
    private func expectLoss(_ store: SQLiteListStore) throws {
        let next = (model.lists["list-0"]?.version ?? 0) + 1
        do {
            try store.append([.exists("list-0", next, snapshot: true)])
        } catch {
            if case .lost = error { return }
            throw error
        }
        throw Failure(description: "an append was acknowledged after a failed sync")
    }

    // MARK: Another program's reader

    private mutating func openReader() throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(
            path: disk.databaseName(Self.path), configuration: configuration)
        reader = queue
        try queue.inDatabase { database in
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0; BEGIN")
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM list")
        }
    }

    private mutating func closeReader() {
        try? reader?.inDatabase { try $0.execute(sql: "COMMIT") }
        try? reader?.close()
        reader = nil
    }

    // MARK: Restarts

    /// Opens the store in a new process, which may be interrupted too, and checks its content.
    ///
    /// - Parameters:
    ///   - candidates: one of these models must be the store's content.
    ///   - action: the interrupted action. If it has several steps, it is completed.
    private mutating func recover(
        _ candidates: [ModelStore], repeating action: Action? = nil
    ) throws {
        let store = try reopenAfterStop(mayStop: true)
        // What the interrupted action has left to do can need space.
        if isFull, action != nil { setFreeBytes(nil) }
        var candidates = candidates
        switch action {
        case .prune(let time, let last, let limit):
            while try store.pruneChanges(olderThan: time, keepingLast: last, limit: limit) {}
            candidates[0].pruneChanges(olderThan: time, keepingLast: last)
        case .removeResponses(let time, let limit):
            while try store.removeResponses(expiredAt: time, limit: limit) {}
            candidates[0].removeResponses(expiredAt: time)
        case .pruneBin(let time, let limit):
            while try store.pruneBin(deletedBefore: time, limit: limit) {}
            candidates[0].pruneBin(deletedBefore: time)
        default: break
        }
        model = try match(candidates, store)
        if generator.chance(30) {
            // The state that was read must be durable.
            note("power cut after reading")
            disk.restart(after: .powerCut)
            model = try match([model], try reopenAfterStop(mayStop: false))
        }
        if generator.chance(30) { try verify() }
    }

    private mutating func reopenAfterStop(mayStop: Bool) throws -> SQLiteListStore {
        while true {
            closeReader()
            try? store?.close()
            store = nil
            abandonedQueues.withLock { queues in
                queues.removeAll { $0.path == disk.databaseName(Self.path) }
            }
            disk.restart(after: .kill)
            restarts += 1
            note("restart")
            if mayStop, generator.chance(30) {
                disk.stop(
                    generator.chance(70) ? .powerCut : .kill, atOperation: 1 + generator.below(60))
            }
            do {
                let opened = try open()
                store = opened
                if !disk.hasStopped {
                    disk.cancelFaults()
                    return opened
                }
            } catch  where disk.hasStopped {
            }
        }
    }

    private func match(_ candidates: [ModelStore], _ store: SQLiteListStore) throws -> ModelStore {
        var differences: [String] = []
        for candidate in candidates {
            guard let difference = try candidate.difference(from: store) else {
                let keys = Array(candidate.responses.keys)
                guard try store.responses(to: keys) == candidate.responses else {
                    differences.append("the responses")
                    continue
                }
                return candidate
            }
            differences.append(difference)
        }
        throw Failure(description: "after a restart: \(differences.joined(separator: "; or "))")
    }

    func verify() throws {
        var faults: [String] = []
        try store?.verify { faults.append("\($0): \($1)") }
        guard faults.isEmpty else { throw Failure(description: "\(faults)") }
    }

    mutating func note(_ event: String) {
        story.append("\(disk.operations): \(event)")
    }

    /// Ends the run: the store is closed, and has its content when it is opened again.
    mutating func finish() throws {
        disk.cancelFaults()
        setFreeBytes(nil)
        try perform(.reopen)
        if let store { model = try match([model], store) }
        try verify()
        try perform(.reopen)
        try close()
    }

    mutating func close() throws {
        closeReader()
        try store?.close()
        store = nil
    }
}
