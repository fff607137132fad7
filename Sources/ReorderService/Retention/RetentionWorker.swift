import Foundation
import Logging
import ReorderJSON
import ReorderStore
import Synchronization

/// Prunes old changes, expired responses and the bin in the background, in small batches. It also
/// checks every few seconds whether a store that failed accepts changes again.
///
/// It runs on its own thread. The pauses between batches leave the store to commits most of the
/// time: at full load, pruning uses about a fifth of the store's write capacity.
final class RetentionWorker: Sendable {
    private let store: any ListStore
    private let history: HistoryRetention
    private let bin: BinRetention
    private let pieces: PieceSizes
    private let logger: Logger
    private let clock: ServiceClock
    private let secondsBetweenPasses: Double
    private let environment: ServiceEnvironment
    private let worker: any Worker
    private let schedule = Mutex(Schedule())
    /// The store's trusted time.
    private let keptTime: Atomic<Int64>

    private static let secondsBetweenProbes = 2.0

    /// The parts of a pass, in their order.
    private enum Phase: Int {
        case bin, changes, responses
    }

    /// Only the worker uses it. Times are uptimes in nanoseconds.
    private struct Schedule {
        var phase = Phase.bin
        var nextBatch: UInt64 = 0
        var nextProbe: UInt64 = 0

        var next: NextStep { .at(min(nextBatch, nextProbe)) }
    }

    /// - Parameter clock: the time by which changes, responses and deleted lists expire.
    init(
        store: any ListStore, history: HistoryRetention, bin: BinRetention = .standard,
        _ pieces: PieceSizes = PieceSizes(), logger: Logger, clock: ServiceClock,
        _ environment: ServiceEnvironment = .system, secondsBetweenPasses: Double = 60
    ) {
        self.store = store
        self.history = history
        self.bin = bin
        self.pieces = pieces
        self.logger = logger
        self.clock = clock
        self.environment = environment
        self.secondsBetweenPasses = secondsBetweenPasses
        keptTime = Atomic(store.trustedTime ?? 0)
        worker = environment.makeWorker("retention worker", 1)
    }

    /// Starts the thread, which also calls `probe` every few seconds.
    ///
    /// - Parameter probe: retained until `stop`.
    func start(_ probe: @escaping @Sendable () -> Void = {}) {
        // Start with a pause, because the server has more urgent work when it starts.
        let first = schedule.withLock { schedule in
            schedule.nextBatch = environment.uptime(afterSeconds: secondsBetweenPasses)
            schedule.nextProbe = environment.uptime(afterSeconds: Self.secondsBetweenProbes)
            return schedule.next
        }
        worker.start(first: first) { self.step(probe) }
    }

    /// Stops the thread after the current batch.
    func stop() { worker.stopAndJoin() }

    private func step(_ probe: () -> Void) -> NextStep {
        guard !worker.isStopping else { return .end }
        var schedule = schedule.withLock(\.self)
        if environment.uptime() >= schedule.nextProbe {
            probe()
            schedule.nextProbe = environment.uptime(afterSeconds: Self.secondsBetweenProbes)
        }
        let start = environment.uptime()
        if start >= schedule.nextBatch {
            let goesOn = prune(schedule.phase)
            let seconds = Double(environment.uptime() - start) / 1e9
            let next = goesOn ? schedule.phase : Phase(rawValue: schedule.phase.rawValue + 1)
            let pause = next == nil ? secondsBetweenPasses : max(0.001, 4 * seconds)
            schedule.nextBatch = environment.uptime(afterSeconds: pause)
            schedule.phase = next ?? .bin
        }
        self.schedule.withLock { $0 = schedule }
        return schedule.next
    }

    /// Makes a whole pass, for tests. Nothing else may use the worker.
    func makePass() {
        for phase in [Phase.bin, .changes, .responses] {
            while prune(phase) {}
        }
    }

    /// Stores the time about once an hour. If that fails, the next start doubts more.
    private func keep(_ now: Int64) {
        guard abs(now - keptTime.load(ordering: .relaxed)) >= Self.millisecondsBetweenKeeps,
            (try? store.keep(trustedTime: now)) != nil
        else { return }
        keptTime.store(now, ordering: .relaxed)
    }

    private static let millisecondsBetweenKeeps: Int64 = 3_600_000

    /// - Returns: whether more can be pruned now.
    private func prune(_ phase: Phase) -> Bool {
        do {
            // If a database does not respond, nothing is deleted.
            try clock.follow(store)
            let now = clock.expiry().milliseconds
            switch phase {
            case .bin:
                keep(now)
                return try store.pruneBin(
                    deletedBefore: bin.oldest(at: now), limit: pieces.removedLists)
            case .changes:
                return try store.pruneChanges(
                    olderThan: history.oldest(at: now), orFrom: ServiceClock.future(at: now),
                    keepingLast: history.changes ?? 0, limit: pieces.removedRows)
            case .responses:
                return try store.removeResponses(expiredAt: now, limit: pieces.removedRows)
            }
        } catch {
            logger.error(
                "deleting old changes, responses and lists failed", metadata: ["error": "\(error)"])
            return false
        }
    }
}
