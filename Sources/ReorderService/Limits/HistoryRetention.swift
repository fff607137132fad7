/// Defines which changes of a list are stored.
///
/// A change is stored while it is younger than `days` or among its list's last `changes`.
package struct HistoryRetention: Sendable, Equatable {
    /// nil means that only the last `changes` are stored, of any age.
    package var days: Int?
    /// nil means 0: a list's last change, and the changes that are needed to load the list, are
    /// always kept.
    package var changes: Int?

    package static let standard = HistoryRetention(days: 30, changes: 10_000)

    package init(days: Int?, changes: Int?) {
        self.days = days
        self.changes = changes
    }

    /// Changes before this time can be pruned.
    ///
    /// - Parameter now: in milliseconds since 1970, like the result.
    func oldest(at now: Int64) -> Int64 {
        guard let days else { return .max }
        return now - Int64(days) * 24 * 60 * 60 * 1_000
    }
}
