import Foundation
import ReorderStore
import SQLiteStore
import SimulatedDisk

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
    /// The number of transactions of the append that began last, if it is large.
    private var largeSteps = 0
    /// The name of the epoch that begins with the next server, if the file is a restored copy.
    private var newEpoch: String?
    /// Whether the program marked the restored copy as a backup.
    private var isMarked = true
    /// The disk is full until this time.
    private var fullUntil: UInt64 = 0
    /// Writes fail at times until this time.
    private var badUntil: UInt64 = 0

    /// A disk of a known size, so that the store keeps a reserve.
    init(seed: UInt64) {
        disk = SimulatedDisk(seed: seed)
        disk.setCapacity(8 << 20)
    }

    /// Ends the process that uses the disk, at once.
    func stop(_ scheduler: Scheduler) {
        if !appending.isEmpty, largeSteps > 0 { scheduler.count("interrupted large append") }
        disk.restart(after: scheduler.random.chance(60) ? .powerCut : .kill)
    }

    /// Fills the disk at times, and empties it some seconds later.
    func changeSpace(_ connection: StoreConnection) {
        let scheduler = connection.scheduler
        if fullUntil > 0, connection.isCalm || scheduler.now >= fullUntil {
            empty()
        } else if fullUntil == 0, connection.has(.full, oneIn: 30) {
            let milliseconds = UInt64(scheduler.random.below(3_000))
            fullUntil = scheduler.now + milliseconds * Scheduler.millisecond
            let free = disk.space(in: SimulatedDisk.directory)?.free ?? 0
            disk.setOtherBytes(max(0, free - scheduler.random.below(40) * 4_096))
        }
    }

    func endFaults() {
        disk.cancelFaults()
        empty()
    }

    private func empty() {
        fullUntil = 0
        disk.setOtherBytes(0)
    }

    /// Makes writes fail at times, and ends that a moment later.
    func changeWrites(_ connection: StoreConnection) {
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
        empty()
        disk.replaceAll(with: files)
        (newEpoch, self.isMarked) = (epoch, isMarked)
        appending = [:]
    }

    /// Does what the operator does before a server starts on a copy that is not marked:
    /// `reorderd migrate --new-epoch`. If the power fails meanwhile, the operator repeats it.
    func migrate(_ scheduler: Scheduler, cutsPower: Bool) throws {
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
    func prepareToServe(_ store: SQLiteListStore) throws {
        guard let newEpoch else {
            _ = try store.prepareToServe()
            return
        }
        let wasBackup = try store.prepareToServe(newEpoch: newEpoch)
        guard store.epoch == newEpoch else {
            throw StoreError.failed(reason: "a restored store has no new epoch (\(wasBackup))")
        }
    }

    func begin(_ commits: [ListCommit]) -> Int {
        appendCount += 1
        largeSteps = 0
        appending[appendCount] = commits
        return appendCount
    }

    /// Publishes an append that is stored, unless it is published already.
    func end(_ number: Int, _ medium: StoreMedium) {
        guard let commits = appending.removeValue(forKey: number) else { return }
        medium.onCommit(commits)
    }

    /// The lists of large appends that are being stored.
    var staged: Set<String> { Set(appending.values.joined().map(\.list)) }

    /// Whether another append has begun and not ended.
    func isStaging(beside number: Int) -> Bool {
        appending.keys.contains { $0 != number }
    }

    /// Forgets an append that has stored nothing.
    func cancel(_ number: Int) { appending[number] = nil }

    func note(_ step: LargeStep) {
        if [.stage, .piece].contains(step.kind) { largeSteps += 1 }
    }

    /// A large append is stored, but has not ended. It is the one that began last, because calls
    /// nest.
    func becameValid(_ medium: StoreMedium) {
        if let number = appending.keys.max() { end(number, medium) }
    }

    /// Publishes what an interrupted append has stored.
    ///
    /// - Returns: the lists of an append that is stored in part.
    func settle(_ store: SQLiteListStore, _ medium: StoreMedium) throws -> [String]? {
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
