/// A change in a shared store's journal, by which a server recognizes the past that it has seen.
package struct JournalMark: Sendable, Equatable {
    package var position: Int
    /// A random number of the change.
    package var number: Int
    package var list: String
    package var version: Int

    package init(position: Int, number: Int, list: String, version: Int) {
        self.position = position
        self.number = number
        self.list = list
        self.version = version
    }
}

/// Whether a store still has the changes up to one that a server has seen.
///
/// The changes of a store have positions in the order of their commits. So if the store has the seen
/// change at its position, it has all changes before it too.
package enum SeenPast: Sendable, Equatable {
    case kept
    /// The store went back, and may have got other changes since.
    case lost
    /// The store has no change at the position, but later ones: the change was pruned or is lost.
    case unclear

    /// - Parameters:
    ///   - seen: the last change that the server has seen; nil if it has seen none.
    ///   - number: the number of the change at the position of `seen`; nil if there is none.
    ///   - newest: the store's last change; nil if it has none.
    package init(seen: JournalMark?, numberThere number: Int?, newest: JournalMark?) {
        guard let seen else {
            self = .kept
            return
        }
        if let number {
            self = number == seen.number ? .kept : .lost
        } else {
            self = newest.map { $0.position > seen.position } ?? false ? .unclear : .lost
        }
    }
}

/// Why a server must drop everything that it knows of a shared store.
package struct StoreRewind: Sendable, Equatable {
    /// For the log.
    package var reason: String

    package init(reason: String) { self.reason = reason }
}
