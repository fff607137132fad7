/// What a client may do. Each scope has those before it.
package enum AccessScope: Int, Comparable, Sendable, CaseIterable {
    /// Nothing: a signed token that names none of the others.
    case none
    case read
    case write
    /// What concerns the server rather than a list.
    case admin

    /// As files and claims write it; `none` can't be asked for.
    package init?(name: some StringProtocol) {
        switch name {
        case "read": self = .read
        case "write": self = .write
        case "admin": self = .admin
        default: return nil
        }
    }

    package var name: String { "\(self)" }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
