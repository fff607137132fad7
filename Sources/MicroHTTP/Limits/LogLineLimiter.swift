import Synchronization

/// Limits a log to one line of each kind in ten seconds, and counts the lines that it leaves out.
package final class LogLineLimiter: Sendable {
    private struct Kind {
        var lastLine: ContinuousClock.Instant
        var leftOut = 0
    }

    package static let timeBetweenLines: Duration = .seconds(10)

    /// By name. The names are problem codes, so there are few.
    private let kinds = Mutex<[String: Kind]>([:])

    package init() {}

    /// Decides whether a line may be written.
    ///
    /// - Parameter now: may be earlier than the time of another thread's line.
    /// - Returns: the number of lines of this kind that were left out since the last one; `nil` if this
    ///   line must be left out too.
    package func pass(_ name: String, now: ContinuousClock.Instant = .now) -> Int? {
        kinds.withLock { kinds in
            if var kind = kinds[name], now - kind.lastLine < Self.timeBetweenLines {
                kind.leftOut += 1
                kinds[name] = kind
                return nil
            }
            defer { kinds[name] = Kind(lastLine: now) }
            return kinds[name]?.leftOut ?? 0
        }
    }
}
