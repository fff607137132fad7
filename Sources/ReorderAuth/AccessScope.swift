/// The access that a client has. Each scope includes those before it, but only `admin` includes `metrics`.
package enum AccessScope: Int, Comparable, Sendable, CaseIterable {
    /// No access: the scope of a signed token that names none of the others.
    case none
    /// Only the server's metrics.
    case metrics
    case read
    case write
    /// Deletions that can't be taken back.
    case purge
    /// Operations on the server rather than on a list.
    case admin

    /// The name in files and claims; `none` has no name.
    package init?(name: some StringProtocol) {
        switch name {
        case "metrics": self = .metrics
        case "read": self = .read
        case "write": self = .write
        case "purge": self = .purge
        case "admin": self = .admin
        default: return nil
        }
    }

    package var name: String { "\(self)" }

    /// The names of all scopes, for messages: "metrics, read, write, purge or admin".
    package static var names: String {
        let names = allCases.dropFirst().map(\.name)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    /// Whether a client with this scope may send requests that need the other one.
    package func includes(_ needed: AccessScope) -> Bool {
        needed == .metrics ? self == .metrics || self == .admin : self >= needed
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
