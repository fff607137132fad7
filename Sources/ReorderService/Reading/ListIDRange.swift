/// Lists with consecutive ids.
package struct ListIDRange: Sendable {
    /// A text that is less than all ids in the range. No other list has an id between this text and
    /// the range.
    package var after: String
    /// Whether the range has at most one list.
    package var isOne: Bool
    package var contains: @Sendable (_ list: String) -> Bool

    package init(
        after: String, isOne: Bool, contains: @escaping @Sendable (_ list: String) -> Bool
    ) {
        self.after = after
        self.isOne = isOne
        self.contains = contains
    }
}
