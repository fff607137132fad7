/// Why a store could not do what it was asked.
///
/// After any error of `append` nothing of that call is in the store, except after `lost`, where
/// only a restart can tell.
package enum StoreError: Error, Sendable, Equatable {
    /// The list's last version is not the one the commit builds on, or an answer of this owner is kept
    /// already.
    case conflict(list: String)
    /// The task's id is held by another list.
    case taskTaken(id: String)
    /// The store can't do it now (a full disk, say) and may be able to later.
    case unavailable(reason: String)
    /// A sync failed: what is durable is unknown, and the process must stop.
    case lost(reason: String)
    /// What is stored can't be right. `place` says where: a file, a list, a version.
    case corrupt(place: String, reason: String)
    /// The store can't be opened: held by another process, of a newer schema, not a store at all.
    case refused(reason: String)
}
