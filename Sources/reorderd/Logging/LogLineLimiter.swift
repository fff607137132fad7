import Dispatch
import Synchronization

/// Limits log lines to one per kind in ten seconds, and counts the lines left out.
final class LogLineLimiter: Sendable {
    private struct Kind {
        var lastLine: UInt64
        var leftOut = 0
    }

    private static let nanosecondsBetweenLines: UInt64 = 10_000_000_000

    /// Small, because kinds are problem codes.
    private let kinds = Mutex<[String: Kind]>([:])

    /// Decides whether a line may be written.
    ///
    /// - Returns: the number of lines of this kind left out since the last one; nil if this line is
    ///   left out too.
    func pass(_ name: String) -> Int? {
        let now = DispatchTime.now().uptimeNanoseconds
        return kinds.withLock { kinds in
            if var kind = kinds[name], now - kind.lastLine < Self.nanosecondsBetweenLines {
                kind.leftOut += 1
                kinds[name] = kind
                return nil
            }
            defer { kinds[name] = Kind(lastLine: now) }
            return kinds[name]?.leftOut ?? 0
        }
    }
}
