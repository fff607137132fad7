/// An error of a store.
///
/// If `append` throws, it has stored nothing. There are two exceptions: after `lost`, a restart
/// shows what is stored; after `unknown`, a later query shows it.
package enum StoreError: Error, Sendable, Equatable {
    /// The list's last version is not the one before the commit's version, or the store has another
    /// response for the same key. `list` is the list or the key's owner.
    case conflict(list: String)
    /// The task is in another list.
    case taskTaken(id: String)
    /// The store can't execute the call now, for example because the disk is full. A later call may
    /// succeed.
    case unavailable(reason: String)
    /// A shared store rejects the request, for example because a table or a privilege is missing.
    /// Retrying does not help until someone corrects the cause.
    case failed(reason: String)
    /// A sync failed: the durable state is unknown, and the process must stop.
    case lost(reason: String)
    /// The connection to a shared store was lost during a commit, for longer than callers wait. The
    /// commit was stored, will be stored, or is lost. Later reads and writes are correct in each
    /// case.
    case unknown(reason: String)
    /// The stored data is invalid. `place` is a file, a list or a version.
    case corrupt(place: String, reason: String)
    /// The store can't be opened: another process uses it, its schema is newer, or it is not a
    /// store.
    case refused(reason: String)
}

extension StoreError: CustomStringConvertible {
    package var description: String { reason }

    /// The description for a person.
    package var reason: String {
        switch self {
        case .conflict(let list): "list \(list) has another version"
        case .taskTaken(let id): "task \(id) is in another list"
        case .unavailable(let reason), .failed(let reason), .lost(let reason),
            .unknown(let reason), .refused(let reason):
            reason
        case .corrupt(let place, let reason): "\(place): \(reason)"
        }
    }
}
