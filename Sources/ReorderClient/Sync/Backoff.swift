/// How long to wait after failures: twice as long after each, at most a minute, and a random part of
/// that, so that clients that were cut together don't come back together.
struct BackOff: Sendable {
    static let firstSeconds = 0.5
    static let longestSeconds = 60.0

    private(set) var failures = 0

    mutating func succeeded() { failures = 0 }

    /// - Parameter retryAfter: what the server asked for, in seconds: never less than that.
    /// - Returns: seconds, at least half of what is doubled.
    mutating func failed(
        retryAfter: Double? = nil, _ random: inout any RandomNumberGenerator & Sendable
    ) -> Double {
        let full = min(Self.longestSeconds, Self.firstSeconds * Double(1 << min(failures, 10)))
        failures += 1
        return max(
            Double.random(in: (full / 2)...full, using: &random), min(retryAfter ?? 0, 3_600))
    }
}
