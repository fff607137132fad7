import Foundation
import Logging
import ReorderStore

/// Forgets old changes in the background, piece by piece.
///
/// One thread of its own. A piece is short, and pauses between them leave the store to the commits
/// most of the time: at full load forgetting takes about a fifth of what the store can write.
final class Housekeeper: Sendable {
    private let store: any ListStore
    private let history: History
    private let logger: Logger
    private let secondsBetweenPasses: Double
    private let stopping = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    /// A commit waits for one such piece at most.
    private static let changesInOnePiece = 256

    init(
        store: any ListStore, history: History, logger: Logger, secondsBetweenPasses: Double = 60
    ) {
        self.store = store
        self.history = history
        self.logger = logger
        self.secondsBetweenPasses = secondsBetweenPasses
    }

    func start() {
        let thread = Thread { self.run() }
        thread.name = "housekeeper"
        thread.start()
    }

    /// Lets the running piece end, and ends the thread.
    func stop() {
        stopping.signal()
        stopped.wait()
    }

    private func run() {
        // First a pause: who has just started has more urgent things to do.
        var pause = secondsBetweenPasses
        while stopping.wait(timeout: .now() + pause) == .timedOut {
            let start = DispatchTime.now()
            let goesOn = forget()
            let seconds =
                Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
            pause = goesOn ? max(0.001, 4 * seconds) : secondsBetweenPasses
        }
        stopped.signal()
    }

    /// - Returns: whether the pass goes on at once.
    private func forget() -> Bool {
        do {
            return try store.forgetChanges(
                olderThan: history.oldest(at: Date().milliseconds),
                keepingLast: history.changes ?? 0, limit: Self.changesInOnePiece)
        } catch {
            logger.error("old changes can't be forgotten", metadata: ["error": "\(error)"])
            return false
        }
    }
}

extension Date {
    /// Since 1970.
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded(.down)) }
}
