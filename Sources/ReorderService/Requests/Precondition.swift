/// A condition on a list that a write requires.
package enum Precondition: Sendable, Equatable {
    case none
    /// The list exists (`If-Match: *`).
    case exists
    /// The list does not exist (`If-None-Match: *`).
    case absent
    /// The list exists at one of these versions. An empty array never matches.
    case versions([SeenVersion])

    func holds(for list: String, version: Int, exists: Bool) -> Bool {
        switch self {
        case .none: true
        case .exists: exists
        case .absent: !exists
        case .versions(let versions):
            exists
                && versions.contains { $0.version == version && ($0.list ?? list) == list }
        }
    }
}

/// A version of a list that a client has.
package struct SeenVersion: Sendable, Equatable, ExpressibleByIntegerLiteral {
    package var version: Int
    /// The list, if the client names it. The tag of a task names it, because the task can move to
    /// another list.
    package var list: String?

    package init(_ version: Int, of list: String? = nil) {
        self.version = version
        self.list = list
    }

    package init(integerLiteral version: Int) { self.init(version) }
}
