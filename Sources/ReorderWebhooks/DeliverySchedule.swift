/// When failed attempts are repeated.
package enum DeliverySchedule {
    /// The time for which the attempts for one event may fail, in milliseconds: a day. Then the webhook
    /// is disabled, if there were enough attempts.
    package static let patience: Int64 = 24 * 60 * 60 * 1_000
    /// A server that runs all day makes more attempts than this, 29 or more. So time without a server
    /// alone disables no webhook.
    package static let fewestAttempts = 24

    private static let firstPause = 5.0
    private static let longestPause = 3_600.0

    /// The pause after a failed attempt in seconds: 5 seconds at first, then twice as long each time, up to
    /// an hour; and up to a fifth more, so that receivers are not called all at once. A receiver can ask
    /// for another pause between these limits.
    ///
    /// - Parameters:
    ///   - failures: the number of failed attempts, at least 1.
    ///   - wanted: the seconds in the response's `Retry-After`; nil if it has none.
    ///   - random: a random number.
    package static func pauseSeconds(
        afterFailures failures: Int, wanted: Int? = nil, random: UInt64
    ) -> Double {
        let doublings = min(failures - 1, 20)
        let pause =
            wanted.map { max(firstPause, Double(min($0, Int(longestPause)))) }
            ?? min(firstPause * Double(1 << doublings), longestPause)
        return pause * (1 + 0.2 * Double(random % 1_000) / 1_000)
    }
}
