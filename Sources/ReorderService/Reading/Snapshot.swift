import ReorderEngine
import Synchronization

/// A durable state of a list. It never changes.
final class Snapshot: Sendable {
    let list: WorkingList
    /// Responses rendered from exactly this state.
    let renderings = Mutex(ResponseCache())

    /// Whether a client names rows of an earlier version, so that the list is to keep its last changes.
    let wantsSteps = Atomic<Bool>(false)

    init(_ list: WorkingList) { self.list = list }

    var id: String { list.id }
    var version: Int { list.version }
    var exists: Bool { list.exists }
    var versioned: VersionedList { VersionedList(id: id, version: version, list: list.list) }

    /// The approximate memory in bytes.
    var byteCount: Int {
        list.listBytes + (list.steps?.byteCount ?? 0) + renderings.withLock(\.byteCount)
    }
}
