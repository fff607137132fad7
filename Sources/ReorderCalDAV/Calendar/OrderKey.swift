/// Sort keys, which clients store in `X-APPLE-SORT-ORDER`. Apps without one use the seconds since 2001 at which the
/// task was created.
enum OrderKey {
    /// The keys that the server makes. All have nine digits, so that apps that compare them as texts agree.
    static let made = 100_000_000...999_999_999
    /// The keys of clients. Others are treated as missing.
    private static let accepted = -(1 << 40)...(1 << 40)

    /// The room between keys that are made together.
    static let step = 1_000

    private static let secondsUntil2001 = 978_307_200

    /// The key, or nil if it is not accepted.
    static func valid(_ key: Int?) -> Int? {
        key.flatMap { accepted.contains($0) ? $0 : nil }
    }

    /// The key of a time.
    ///
    /// - Parameter milliseconds: since 1970.
    static func at(_ milliseconds: Int64) -> Int {
        Int(milliseconds / 1_000) - secondsUntil2001
    }
}
