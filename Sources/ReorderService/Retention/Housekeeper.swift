import Foundation
import Logging
import ReorderStore

/// Forgets old changes and expired answers in the background, piece by piece, and asks every few seconds
/// whether a store that refused changes takes them again.
///
/// One thread of its own. A piece is short, and pauses between them leave the store to the commits
/// most of the time: at full load forgetting takes about a fifth of what the store can write.
final class Housekeeper: Sendable {
    private let store: any ListStore
    private let history: History
    private let logger: Logger
    private let clock: @Sendable () -> Date
    private let secondsBetweenPasses: Double
    private let stopping = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    /// A commit waits for one such piece at most.
    private static let countInOnePiece = 256

    private static let secondsBetweenProbes = 2.0

    private enum Duty {
        case changes, answers
    }

    init(
        store: any ListStore, history: History, logger: Logger,
        clock: @escaping @Sendable () -> Date = { Date() }, secondsBetweenPasses: Double = 60
    ) {
        self.store = store
        self.history = history
        self.logger = logger
        self.clock = clock
        self.secondsBetweenPasses = secondsBetweenPasses
    }

    /// - Parameter probe: called every few seconds on the thread; it must not wait for the store.
    func start(_ probe: @escaping @Sendable () -> Void = {}) {
        let thread = Thread { self.run(probe) }
        thread.name = "housekeeper"
        thread.start()
    }

    /// Lets the running piece end, and ends the thread.
    func stop() {
        stopping.signal()
        stopped.wait()
    }

    private func run(_ probe: () -> Void) {
        // First a pause: who has just started has more urgent things to do.
        var pause = secondsBetweenPasses
        var duty = Duty.changes
        var nextProbe = DispatchTime.now()
        while true {
            let part = min(pause, Self.secondsBetweenProbes)
            guard stopping.wait(timeout: .now() + part) == .timedOut else { break }
            if DispatchTime.now() >= nextProbe {
                probe()
                nextProbe = .now() + Self.secondsBetweenProbes
            }
            pause -= part
            guard pause <= 0 else { continue }
            let start = DispatchTime.now()
            let goesOn = forget(duty)
            let seconds =
                Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
            pause = goesOn || duty == .changes ? max(0.001, 4 * seconds) : secondsBetweenPasses
            if !goesOn { duty = duty == .changes ? .answers : .changes }
        }
        stopped.signal()
    }

    /// - Returns: whether the pass goes on at once.
    private func forget(_ duty: Duty) -> Bool {
        let now = clock().milliseconds
        do {
            switch duty {
            case .changes:
                return try store.forgetChanges(
                    olderThan: history.oldest(at: now), orFrom: ServiceClock.future(at: now),
                    keepingLast: history.changes ?? 0, limit: Self.countInOnePiece)
            case .answers:
                return try store.removeAnswers(expiredAt: now, limit: Self.countInOnePiece)
            }
        } catch {
            logger.error("what is old can't be forgotten", metadata: ["error": "\(error)"])
            return false
        }
    }
}

extension Date {
    /// Since 1970.
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded(.down)) }
}
