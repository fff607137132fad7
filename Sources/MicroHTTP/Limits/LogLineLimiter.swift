import Synchronization

/// Limits a log to one line of each kind in some time, and counts the lines that it leaves out.
package final class LogLineLimiter: Sendable {
    private struct Kind {
        var lastLine: ContinuousClock.Instant
        var leftOut = 0
    }

    package let timeBetweenLines: Duration
    private let maximumKinds: Int
    /// By name: problem codes, or clients.
    private let kinds = Mutex<[String: Kind]>([:])

    /// - Parameter maximumKinds: the number of kinds in memory. If there are more within the time, lines of
    ///   further kinds are left out, so that the log stays short.
    package init(timeBetweenLines: Duration = .seconds(10), maximumKinds: Int = 1_000) {
        self.timeBetweenLines = timeBetweenLines
        self.maximumKinds = maximumKinds
    }

    /// Decides whether a line may be written.
    ///
    /// - Parameter now: may be earlier than the time of another thread's line.
    /// - Returns: the number of lines of this kind that were left out since the last one; `nil` if this
    ///   line must be left out too.
    package func pass(_ name: String, now: ContinuousClock.Instant = .now) -> Int? {
        kinds.withLock { kinds in
            if var kind = kinds[name], now - kind.lastLine < timeBetweenLines {
                kind.leftOut += 1
                kinds[name] = kind
                return nil
            }
            if kinds[name] == nil, kinds.count >= maximumKinds {
                kinds = kinds.filter { now - $0.value.lastLine < timeBetweenLines }
                guard kinds.count < maximumKinds else { return nil }
            }
            defer { kinds[name] = Kind(lastLine: now) }
            return kinds[name]?.leftOut ?? 0
        }
    }
}
