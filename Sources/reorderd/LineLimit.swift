import Dispatch
import Synchronization

/// Lets one line of each kind through in ten seconds, and counts those that are left out.
final class LineLimit: Sendable {
    private struct Kind {
        var lastLine: UInt64
        var leftOut = 0
    }

    private static let nanosecondsBetweenLines: UInt64 = 10_000_000_000

    /// Few: problem codes.
    private let kinds = Mutex<[String: Kind]>([:])

    /// Whether a line may be written.
    ///
    /// - Returns: how many of its kind were left out since the last one; `nil` if this one is left out too.
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
