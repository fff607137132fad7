import ReorderStore

/// Defines how long deleted lists stay in the bin.
package struct BinRetention: Sendable, Equatable {
    /// 0: there is no bin, so each deletion is permanent.
    package var days: Int

    package static let standard = BinRetention(days: 30)

    package static let maximumDays = 36_500

    package init(days: Int) {
        self.days = days
    }

    /// The time from which on a list can't be restored any more, in milliseconds since 1970.
    package func expiry(of list: BinEntry) -> Int64 { list.deletedAt + milliseconds }

    /// Whether a list can be restored.
    ///
    /// - Parameter now: in milliseconds since 1970.
    func holds(_ list: BinEntry, at now: Int64) -> Bool { days > 0 && now < expiry(of: list) }

    /// Lists that were deleted before this time can be removed from the bin.
    func oldest(at now: Int64) -> Int64 { days > 0 ? now - milliseconds : .max }

    private var milliseconds: Int64 { Int64(days) * 24 * 60 * 60 * 1_000 }
}
