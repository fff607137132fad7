import RandomRuns
import Synchronization

/// A disk in memory, for SQLite and for a store's other files.
///
/// A write becomes visible at once and durable with a sync of its file; a file's name becomes
/// durable with a sync of the directory. A power cut keeps, drops or tears each unsynced change.
/// The disk counts the operations that change it, and can stop, fail or be full at a chosen
/// operation. All choices come from a seed.
///
/// It has one directory, `directory`. When the disk stops, all operations on files that are open
/// fail from then on.
package final class SimulatedDisk: Sendable {
    /// The event that ends the process that uses the disk.
    package enum Stop: Sendable {
        /// Unsynced changes are kept, dropped or torn.
        case powerCut
        /// The process ends; the operating system keeps all changes.
        case kill
    }

    /// An operation that changes the disk.
    package enum Operation: Sendable {
        case write, truncate, sync, create, remove, syncDirectory, allocate
    }

    package enum Failure: Error {
        /// The disk has stopped, or the file was opened before it stopped.
        case stopped
        /// A failure that the test has ordered.
        case failed
        case full
        case noSuchFile
    }

    /// A file in use; invalid after the disk has stopped.
    struct Inode: Hashable {
        var number: Int
        var start: Int
    }

    struct State: Sendable {
        /// By number.
        var files: [Int: SimulatedFile] = [:]
        var nextFile = 1
        /// The names of files, as programs see them.
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        /// The changes of names since the last sync of the directory; nil if the name is removed.
        var unsyncedNames: [(name: String, file: Int?)] = []
        var generator: SeededGenerator

        var operations = 0
        var stop: (kind: Stop, operation: Int)?
        var hasStopped = false
        /// The number of restarts.
        var start = 0

        /// The number of operations up to the next one that fails.
        var failing: [Operation: Int] = [:]
        /// The percentage of writes that fail.
        var failingWrites = 0
        var failures = 0

        var capacity = Int.max
        var otherBytes = 0

        // The open files of a process.
        var nextHandle = 1
        var locks: [Int: FileLocks] = [:]
        var memory: [Int: SharedMemory] = [:]
        /// Files locked by `StoreFile.lock`.
        var lockedFiles: Set<Int> = []
    }

    package static let directory = "/simulated"
    static let blockBytes = 4_096

    let state: Mutex<State>
    let vfs: SimulatedVFS

    package init(seed: UInt64) {
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
        vfs = SimulatedVFS()
        vfs.register(self)
    }

    deinit { vfs.unregister() }

    // MARK: Stops

    /// Stops the disk at an operation. The next operation has the number 1.
    ///
    /// A kill happens after the operation. A power cut happens during it, so the operation is
    /// unsynced.
    package func stop(_ kind: Stop, atOperation number: Int) {
        state.withLock { $0.stop = (kind, $0.operations + number) }
    }

    /// Cancels a stop and failures that have not happened yet.
    package func cancelFaults() {
        state.withLock { state in
            if !state.hasStopped { state.stop = nil }
            state.failing = [:]
            state.failingWrites = 0
        }
    }

    package var hasStopped: Bool { state.withLock(\.hasStopped) }

    /// The number of operations so far.
    package var operations: Int { state.withLock(\.operations) }

    /// Lets the next process use the disk.
    ///
    /// - Parameter kind: how the process ends if the disk has not stopped yet.
    package func restart(after kind: Stop = .powerCut) {
        state.withLock { $0.restart(after: kind) }
    }

    // MARK: Failures

    /// Makes the nth operation of a kind from now fail.
    package func fail(_ operation: Operation, number: Int = 1) {
        state.withLock { $0.failing[operation] = number }
    }

    /// Makes a percentage of all writes fail from now on.
    package func failWrites(percent: Int) { state.withLock { $0.failingWrites = percent } }

    /// The number of failed operations so far, without those of a full disk.
    package var failures: Int { state.withLock(\.failures) }

    /// Sets the disk's size.
    package func setCapacity(_ bytes: Int) { state.withLock { $0.capacity = bytes } }

    /// Sets the space that other programs use.
    package func setOtherBytes(_ bytes: Int) { state.withLock { $0.otherBytes = bytes } }

    /// The files' names and sizes.
    package var sizes: [String: Int] {
        state.withLock { state in state.names.mapValues { state.files[$0]?.bytes.count ?? 0 } }
    }
}

extension SimulatedDisk.State {
    /// Counts an operation, and decides whether it takes place.
    ///
    /// - Parameter body: performs the operation.
    mutating func perform<Value>(
        _ operation: SimulatedDisk.Operation, _ body: (inout Self) throws -> Value
    ) throws -> Value {
        guard !hasStopped else { throw SimulatedDisk.Failure.stopped }
        operations += 1
        let stops = stop.map { operations >= $0.operation } ?? false
        if stops { hasStopped = true }
        if let left = failing[operation] {
            failing[operation] = left > 1 ? left - 1 : nil
            if left == 1 {
                failures += 1
                throw SimulatedDisk.Failure.failed
            }
        }
        if operation == .write, failingWrites > 0, generator.chance(failingWrites) {
            failures += 1
            throw SimulatedDisk.Failure.failed
        }
        // A power cut interrupts a sync.
        let isSync = operation == .sync || operation == .syncDirectory
        if stops, isSync { throw SimulatedDisk.Failure.stopped }
        let value = try body(&self)
        if stops { throw SimulatedDisk.Failure.stopped }
        return value
    }

    mutating func restart(after kind: SimulatedDisk.Stop) {
        if (hasStopped ? stop?.kind : nil) ?? kind == .powerCut { losePower() }
        let used = Set(names.values).union(durableNames.values)
            .union(unsyncedNames.compactMap(\.file))
        files = files.filter { used.contains($0.key) }
        start += 1
        (stop, hasStopped, failing, failingWrites) = (nil, false, [:], 0)
        (locks, memory, lockedFiles) = ([:], [:], [])
    }

    private mutating func losePower() {
        var outcome = UnsyncedOutcome(generator)
        for (name, file) in unsyncedNames where outcome.keeps() { durableNames[name] = file }
        unsyncedNames = []
        names = durableNames
        for number in files.keys.sorted() { files[number]?.losePower(&outcome) }
        generator = outcome.generator
    }

    // MARK: Space

    private func blocks(_ byteCount: Int) -> Int {
        (byteCount + SimulatedDisk.blockBytes - 1) / SimulatedDisk.blockBytes
    }

    var freeBytes: Int {
        guard capacity < .max else { return .max }
        let used = names.values.reduce(0) { $0 + blocks(files[$1]?.bytes.count ?? 0) }
        return max(0, capacity - otherBytes - used * SimulatedDisk.blockBytes)
    }

    /// - Throws: `full` if there is not enough space for a file to have this size.
    func checkSpace(_ file: Int, size: Int) throws {
        let more = blocks(size) - blocks(files[file]?.bytes.count ?? 0)
        guard more > 0, capacity < .max else { return }
        if more * SimulatedDisk.blockBytes > freeBytes { throw SimulatedDisk.Failure.full }
    }
}
