import Foundation
import ReorderStore
import SQLiteStore
import SimulatedDisk
import StoreTesting

/// The disk of a server with a file store. It survives crashes and power cuts.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class DiskMedium: @unchecked Sendable {
    static let path = SimulatedDisk.directory + "/lists.db"
    let disk: SimulatedDisk
    /// The commits of appends that have not ended, by number. If the process ends before them, the
    /// next process finds out whether they are stored.
    private var appending: [Int: [ListCommit]] = [:]
    private var appendCount = 0
    /// The name of the epoch that begins with the next server, if the file is a restored copy.
    private var newEpoch: String?
    /// Whether the program marked the restored copy as a backup.
    private var isMarked = true
    /// The disk is full until this time.
    private var fullUntil: UInt64 = 0
    /// Writes fail at times until this time.
    private var badUntil: UInt64 = 0

    init(seed: UInt64) { disk = SimulatedDisk(seed: seed) }

    /// Ends the process that uses the disk, at once.
    func stop(_ scheduler: Scheduler) {
        disk.restart(after: scheduler.random.chance(60) ? .powerCut : .kill)
    }

    /// Fills the disk at times, and empties it some seconds later.
    fileprivate func changeSpace(_ connection: StoreConnection) {
        let scheduler = connection.scheduler
        if fullUntil > 0, connection.isCalm || scheduler.now >= fullUntil {
            fullUntil = 0
            disk.setCapacity(.max)
        } else if fullUntil == 0, connection.has(.full, oneIn: 30) {
            let milliseconds = UInt64(scheduler.random.below(3_000))
            fullUntil = scheduler.now + milliseconds * Scheduler.millisecond
            let used = disk.contents.values.reduce(0) { $0 + ($1.count + 4_095) / 4_096 }
            disk.setCapacity((used + scheduler.random.below(40)) * 4_096)
        }
    }

    /// Makes writes fail at times, and ends that a moment later.
    fileprivate func changeWrites(_ connection: StoreConnection) {
        let scheduler = connection.scheduler
        if badUntil > 0, connection.isCalm || scheduler.now >= badUntil {
            badUntil = 0
            disk.failWrites(percent: 0)
        } else if badUntil == 0, connection.has(.badWrites, oneIn: 15) {
            let milliseconds = UInt64(scheduler.random.below(500))
            badUntil = scheduler.now + milliseconds * Scheduler.millisecond
            disk.failWrites(percent: scheduler.random.chance(50) ? 3 : 25)
        }
    }

    /// A backup, made by the program's own code. It copies the files of this disk to a real one.
    func backUp() throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "simulation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, bytes) in disk.contents where !name.hasSuffix("-shm") {
            try Data(bytes).write(to: folder.appending(path: URL(filePath: name).lastPathComponent))
        }
        let copy = folder.appending(path: "copy.db")
        let source = folder.appending(path: URL(filePath: Self.path).lastPathComponent)
        try SQLiteBackup.copy(from: source.path, to: copy.path) { _, _ in }
        return Array(try Data(contentsOf: copy))
    }

    /// Replaces the store's files with those of a copy.
    ///
    /// - Parameter isMarked: whether the program marked the copy as a backup. If not, the operator
    ///   begins the new epoch.
    func restore(_ files: [String: [UInt8]], isMarked: Bool, epoch: String) {
        // The operator first makes room.
        fullUntil = 0
        disk.setCapacity(.max)
        disk.replaceAll(with: files)
        (newEpoch, self.isMarked) = (epoch, isMarked)
        appending = [:]
    }

    /// Does what the operator does before a server starts on a copy that is not marked:
    /// `reorderd migrate --new-epoch`. If the power fails meanwhile, the operator repeats it.
    fileprivate func migrate(_ scheduler: Scheduler, cutsPower: Bool) throws {
        guard let newEpoch, !isMarked else { return }
        if cutsPower { disk.stop(.powerCut, atOperation: 1 + scheduler.random.below(20)) }
        do {
            try beginEpoch(newEpoch)
        } catch {
            guard disk.hasStopped else { throw error }
            scheduler.count("interrupted migration")
        }
        if disk.hasStopped {
            stop(scheduler)
            try beginEpoch(newEpoch)
        }
        disk.cancelFaults()
        isMarked = true
        scheduler.count("migrated")
    }

    private func beginEpoch(_ name: String) throws {
        let store = try SQLiteListStore(
            path: Self.path, readers: 1, newEpoch: StoreMedium.firstEpoch, files: disk)
        try store.beginEpoch(name)
        try store.close()
    }

    /// Begins the new epoch of a restored backup, if it has not begun yet.
    fileprivate func prepareToServe(_ store: SQLiteListStore) throws {
        guard let newEpoch else {
            _ = try store.prepareToServe()
            return
        }
        let wasBackup = try store.prepareToServe(newEpoch: newEpoch)
        guard store.epoch == newEpoch else {
            throw StoreError.failed(reason: "a restored store has no new epoch (\(wasBackup))")
        }
    }

    fileprivate func begin(_ commits: [ListCommit]) -> Int {
        appendCount += 1
        appending[appendCount] = commits
        return appendCount
    }

    /// Publishes an append that is stored, unless it is published already.
    fileprivate func end(_ number: Int, _ medium: StoreMedium) {
        guard let commits = appending.removeValue(forKey: number) else { return }
        medium.onCommit(commits)
    }

    /// The lists of large appends that are being stored.
    var staged: Set<String> { Set(appending.values.joined().map(\.list)) }

    /// Whether another append has begun and not ended.
    fileprivate func isStaging(beside number: Int) -> Bool {
        appending.keys.contains { $0 != number }
    }

    /// Forgets an append that has stored nothing.
    fileprivate func cancel(_ number: Int) { appending[number] = nil }

    /// A large append is stored, but has not ended. It is the one that began last, because calls
    /// nest.
    fileprivate func becameValid(_ medium: StoreMedium) {
        if let number = appending.keys.max() { end(number, medium) }
    }

    /// Publishes what an interrupted append has stored.
    ///
    /// - Returns: the lists of an append that is stored in part.
    fileprivate func settle(_ store: SQLiteListStore, _ medium: StoreMedium) throws -> [String]? {
        defer { appending = [:] }
        for (_, commits) in appending.sorted(by: { $0.key < $1.key }) {
            let stored = try commits.filter { commit in
                let changes = try store.changes(
                    of: commit.list, after: commit.version - 1, limit: 1)
                return changes?.first?.bytes == commit.change
            }
            guard stored.isEmpty || stored.count == commits.count else {
                return commits.map(\.list)
            }
            if !stored.isEmpty { medium.onCommit(commits) }
        }
        return nil
    }
}

/// The production file store on a simulated disk. Power cuts, kills and failed syncs happen at any
/// operation of the disk.
final class SimulatedDiskStore: ForwardingStore {
    private let connection: StoreConnection
    private let media: DiskMedium
    let store: SQLiteListStore
    private let endProcess: @Sendable () -> Void

    /// - Parameter endProcess: called when the disk has stopped.
    init(
        _ connection: StoreConnection, _ media: DiskMedium, large: LargeCommit,
        endProcess: @escaping @Sendable () -> Void
    ) throws {
        self.connection = connection
        self.media = media
        self.endProcess = endProcess
        // The disk may have stopped while the last process closed the store.
        if media.disk.hasStopped { media.stop(connection.scheduler) }
        media.disk.cancelFaults()
        try media.migrate(connection.scheduler, cutsPower: connection.has(.startCut, oneIn: 2))
        if connection.has(.startCut, oneIn: 2) {
            media.disk.stop(.powerCut, atOperation: 1 + connection.scheduler.random.below(40))
        }
        if let store = try Self.open(connection, media, large) {
            self.store = store
        } else {
            connection.scheduler.count("interrupted start")
            media.stop(connection.scheduler)
            guard let store = try Self.open(connection, media, large) else {
                throw StoreError.failed(reason: "the disk has stopped")
            }
            self.store = store
        }
        media.disk.cancelFaults()
        if let lists = try media.settle(store, connection.medium) {
            throw StoreError.failed(reason: "an append to \(lists) is stored in part")
        }
        if connection.has(.startCut, oneIn: 2) {
            media.disk.stop(.powerCut, atOperation: 1 + connection.scheduler.random.below(3))
        }
    }

    /// - Returns: nil if the power failed meanwhile.
    private static func open(
        _ connection: StoreConnection, _ media: DiskMedium, _ large: LargeCommit
    ) throws -> SQLiteListStore? {
        do {
            let store = try SQLiteListStore(
                path: DiskMedium.path, readers: 1, logBytes: 100_000, large: large,
                steps: StepLimits(rows: 2, bytes: 500),
                // Other commits are written between the transactions of a large one.
                onStep: { step in
                    if step.kind == .validate { media.becameValid(connection.medium) }
                    connection.wait()
                }, newEpoch: StoreMedium.firstEpoch, files: media.disk)
            try media.prepareToServe(store)
            return media.disk.hasStopped ? nil : store
        } catch {
            guard media.disk.hasStopped else { throw error }
            return nil
        }
    }

    var latestTime: Int64? { store.latestTime }
    var epoch: String { store.epoch }

    /// Waits, and fails at times. The read takes place at the end of the wait.
    func destination() throws(StoreError) -> any ListStore {
        connection.wait()
        try reach()
        return store
    }

    /// - Throws: if the process has ended. It ends here if the disk has stopped.
    func reach() throws(StoreError) {
        try connection.reach()
        guard media.disk.hasStopped else { return }
        endProcess()
        throw .unavailable(reason: "the server has ended")
    }

    /// Does not let other threads run, because it may be called under a list's lock.
    func lists(containing tasks: [String]) throws(StoreError) -> [String: String] {
        try connection.reach()
        return try store.lists(containing: tasks)
    }

    func responses(to keys: [StoredResponseKey]) throws(StoreError) -> [StoredResponseKey:
        StoredResponse]
    {
        try connection.reach()
        return try store.responses(to: keys)
    }

    func append(_ commits: [ListCommit], responses: [StoredResponse]) throws(StoreError) {
        try append(commits, responses: responses) {}
    }

    func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        guard !commits.isEmpty || !responses.map(\.key).areDocuments else {
            try reach()
            return try store.append(commits, responses: responses)
        }
        connection.wait()
        try reach()
        if connection.failsCommit() { throw .unavailable(reason: "the file is busy") }
        let disk = media.disk
        media.changeSpace(connection)
        media.changeWrites(connection)
        if connection.isCalm { disk.cancelFaults() }
        if connection.has(.disk, oneIn: 30) {
            let operation = 1 + connection.scheduler.random.below(30)
            disk.stop(
                connection.scheduler.random.chance(60) ? .powerCut : .kill, atOperation: operation)
        } else if connection.has(.lostSync, oneIn: 200) {
            disk.fail(.sync)
        }
        let number = media.begin(commits)
        do {
            try store.append(commits, responses: responses, beforeVisible: beforeVisible)
        } catch {
            guard !connection.isDead, !disk.hasStopped else {
                if !connection.isDead { endProcess() }
                throw .unavailable(reason: "the server has ended")
            }
            // After a failed sync the process ends, and the next one finds out.
            if case .lost = error { throw error }
            media.cancel(number)
            switch error {
            case .conflict, .taskTaken: connection.medium.onConflict(error)
            default: break
            }
            throw error
        }
        if connection.isDead { throw .unavailable(reason: "the server has ended") }
        if media.isStaging(beside: number) {
            if commits.contains(where: { $0.outcome == .deleted }) {
                connection.scheduler.count("list deleted while another is staged")
            }
            if commits.contains(where: { !$0.deletedTasks.isEmpty }) {
                connection.scheduler.count("task deleted while others are staged")
            }
        }
        media.end(number, connection.medium)
        connection.medium.stored(responses)
        // The commit is durable, and the server does not know it yet.
        connection.wait()
        if connection.isDead { throw .unavailable(reason: "the server has ended") }
    }

    func tidy(while goesOn: () -> Bool) throws(StoreError) {
        try reach()
        media.changeWrites(connection)
        try store.tidy(while: goesOn)
    }

    /// The faults that the program finds in the file, as `reorderd check` does.
    func faults() throws(StoreError) -> [String] {
        var faults: [String] = []
        try store.verify { place, reason in faults.append("\(place): \(reason)") }
        return faults
    }

    func close() throws(StoreError) { try store.close() }
}
