/// Which changes of a list are kept for those who were away.
///
/// A change stays while it is younger than `days`, or among its list's last `changes`: whichever is
/// more.
package struct History: Sendable, Equatable {
    /// `nil`: a change's age keeps nothing.
    package var days: Int?
    /// `nil`: only the last change stays, and what loading a list needs.
    package var changes: Int?

    package static let standard = History(days: 30, changes: 10_000)

    package init(days: Int?, changes: Int?) {
        self.days = days
        self.changes = changes
    }

    /// Changes decided before this are old.
    ///
    /// - Parameter now: in milliseconds since 1970, as the result.
    func oldest(at now: Int64) -> Int64 {
        guard let days else { return .max }
        return now - Int64(days) * 24 * 60 * 60 * 1_000
    }
}
