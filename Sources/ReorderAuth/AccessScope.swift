/// The access that a client has. Each scope includes those before it.
package enum AccessScope: Int, Comparable, Sendable, CaseIterable {
    /// No access: the scope of a signed token that names none of the others.
    case none
    case read
    case write
    /// Operations on the server rather than on a list.
    case admin

    /// The name in files and claims; `none` has no name.
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
