import Foundation
import Logging
import Synchronization

/// Logs jumps of the system's clock. It compares the clock's progress with that of a clock that is never set.
package final class ClockWatch: Sendable {
    /// Smaller differences are not logged.
    static let toleranceSeconds = 5.0

    private let environment: ServiceEnvironment
    private let logger: Logger
    /// The system's clock minus the clock that is never set, in seconds; nil before the first check.
    private let offset = Mutex<Double?>(nil)

    /// Logs a warning if the system's clock is behind a time that has certainly passed.
    ///
    /// - Parameter latest: in milliseconds since 1970; nil if unknown.
    package init(_ environment: ServiceEnvironment, latest: Int64?, _ logger: Logger) {
        self.environment = environment
        self.logger = logger
        let behind = latest.map { Double($0) / 1_000 - environment.date().timeIntervalSince1970 }
        if let behind, behind > Self.toleranceSeconds {
            logger.warning(
                "the system's clock is behind the newest time in the store",
                metadata: ["seconds": .stringConvertible(Int(behind))])
        }
        check()
    }

    /// Logs a warning if the clock has jumped since the last check.
    func check() {
        let before = environment.uptime()
        let date = environment.date().timeIntervalSince1970
        let after = environment.uptime()
        // Otherwise the thread has waited between the two clocks.
        guard after - before < 1_000_000_000 else { return }
        let current = date - Double(after) / 1e9
        let jump = offset.withLock { offset in
            defer { offset = current }
            return offset.map { current - $0 } ?? 0
        }
        guard abs(jump) > Self.toleranceSeconds else { return }
        logger.warning(
            jump > 0 ? "the system's clock jumped ahead" : "the system's clock jumped back",
            metadata: ["seconds": .stringConvertible(Int(jump.rounded()))])
    }
}
