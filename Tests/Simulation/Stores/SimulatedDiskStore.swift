import ReorderStore
import SQLiteStore
import SimulatedDisk
import StoreTesting

/// The production file store on a simulated disk. Power cuts, kills and failed syncs happen at any
/// operation of the disk.
final class SimulatedDiskStore: ReplyingStore {
    let connection: StoreConnection
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
                    media.note(step)
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
    var trustedTime: Int64? { store.trustedTime }
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

    func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        guard !commits.isEmpty || !responses.map(\.key).areDocuments else {
            try reach()
            return try store.append(commits, responses: responses, beforeVisible: beforeVisible)
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
            if commits.contains(where: { $0.stateAfter == .deleted }) {
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
