import Foundation
import Logging
import ReorderStore

/// Prunes old changes and expired responses in the background, in small batches. It also checks
/// every few seconds whether a store that failed accepts changes again.
///
/// It runs on its own thread. The pauses between batches leave the store to commits most of the
/// time: at full load, pruning uses about a fifth of the store's write capacity.
final class RetentionWorker: Sendable {
    private let store: any ListStore
    private let history: HistoryRetention
    private let logger: Logger
    private let clock: @Sendable () -> Date
    private let secondsBetweenPasses: Double
    private let thread = BackgroundThread("retentionWorker")

    /// The size of a batch. A commit waits for at most one batch.
    private static let batchSize = 256

    private static let secondsBetweenProbes = 2.0

    private enum Duty {
        case changes, responses
    }

    init(
        store: any ListStore, history: HistoryRetention, logger: Logger,
        clock: @escaping @Sendable () -> Date = { Date() }, secondsBetweenPasses: Double = 60
    ) {
        self.store = store
        self.history = history
        self.logger = logger
        self.clock = clock
        self.secondsBetweenPasses = secondsBetweenPasses
    }

    /// - Parameter probe: called every few seconds on the thread. It must not wait for the store.
    func start(_ probe: @escaping @Sendable () -> Void = {}) {
        thread.start { self.run(probe) }
    }

    /// Stops the thread after the current batch.
    func stop() { thread.stop() }

    private func run(_ probe: () -> Void) {
        // Start with a pause, because the server has more urgent work when it starts.
        var pause = secondsBetweenPasses
        var duty = Duty.changes
        var nextProbe = DispatchTime.now()
        while true {
            let part = min(pause, Self.secondsBetweenProbes)
            thread.sleep(until: .now() + part)
            guard !thread.isStopping else { break }
            if DispatchTime.now() >= nextProbe {
                probe()
                nextProbe = .now() + Self.secondsBetweenProbes
            }
            pause -= part
            guard pause <= 0 else { continue }
            let start = DispatchTime.now()
            let goesOn = prune(duty)
            let seconds =
                Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
            pause = goesOn || duty == .changes ? max(0.001, 4 * seconds) : secondsBetweenPasses
            if !goesOn { duty = duty == .changes ? .responses : .changes }
        }
    }

    /// - Returns: whether more can be pruned now.
    private func prune(_ duty: Duty) -> Bool {
        let now = clock().milliseconds
        do {
            switch duty {
            case .changes:
                return try store.pruneChanges(
                    olderThan: history.oldest(at: now), orFrom: ServiceClock.future(at: now),
                    keepingLast: history.changes ?? 0, limit: Self.batchSize)
            case .responses:
                return try store.removeResponses(expiredAt: now, limit: Self.batchSize)
            }
        } catch {
            logger.error(
                "pruning old changes and responses failed", metadata: ["error": "\(error)"])
            return false
        }
    }
}

extension Date {
    /// Milliseconds since 1970.
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded(.down)) }
}
