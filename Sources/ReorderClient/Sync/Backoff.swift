/// Exponential backoff: the delay doubles with each failure, up to a minute. Each delay is reduced
/// by a random part of up to half, so that clients that were disconnected together do not reconnect
/// together.
struct Backoff: Sendable {
    static let firstSeconds = 0.5
    static let longestSeconds = 60.0

    private(set) var failures = 0

    mutating func succeeded() { failures = 0 }

    /// Counts a failure and returns the delay before the next attempt.
    ///
    /// - Parameters:
    ///   - longest: the longest delay, in seconds, if the server has no minimum.
    ///   - retryAfter: the server's minimum, in seconds.
    /// - Returns: the delay in seconds.
    mutating func failed(
        upTo longest: Double = longestSeconds, retryAfter: Double? = nil,
        _ random: inout any RandomNumberGenerator & Sendable
    ) -> Double {
        let full = min(longest, Self.firstSeconds * Double(1 << min(failures, 10)))
        failures += 1
        return max(
            Double.random(in: (full / 2)...full, using: &random), min(retryAfter ?? 0, 3_600))
    }
}
