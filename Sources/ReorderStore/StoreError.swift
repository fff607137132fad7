/// Why a store could not do what it was asked.
///
/// After any error of `append` nothing of that call is in the store, except after `lost`, where
/// only a restart can tell, and `unknown`, where only the store itself can, later.
package enum StoreError: Error, Sendable, Equatable {
    /// The list's last version is not the one the commit builds on, or an answer of this owner is kept
    /// already.
    case conflict(list: String)
    /// The task's id is held by another list.
    case taskTaken(id: String)
    /// The store can't do it now (a full disk, say) and may be able to later.
    case unavailable(reason: String)
    /// A shared store is there, and refuses what it is asked: a table is missing, say, or a right. So it will
    /// be until somebody has mended that.
    case failed(reason: String)
    /// A sync failed: what is durable is unknown, and the process must stop.
    case lost(reason: String)
    /// A shared store was lost while it committed, for too long to wait for it: what was handed over is
    /// in it or will be, or never. What is read or written later is right either way.
    case unknown(reason: String)
    /// What is stored can't be right. `place` says where: a file, a list, a version.
    case corrupt(place: String, reason: String)
    /// The store can't be opened: held by another process, of a newer schema, not a store at all.
    case refused(reason: String)
}

extension StoreError: CustomStringConvertible {
    package var description: String { reason }

    /// What happened, for a person.
    package var reason: String {
        switch self {
        case .conflict(let list): "list \(list) has another version"
        case .taskTaken(let id): "task \(id) is held by another list"
        case .unavailable(let reason), .failed(let reason), .lost(let reason),
            .unknown(let reason), .refused(let reason):
            reason
        case .corrupt(let place, let reason): "\(place): \(reason)"
        }
    }
}
