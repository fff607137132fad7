import ReorderEngine
import ReorderJSON
import ReorderService

/// A list as a collection of resources. Used on one thread.
final class CalendarCollection {
    let versioned: VersionedList
    private let known: KnownLists
    private var index: CalendarIndex?

    init(_ versioned: VersionedList, _ known: KnownLists) {
        self.versioned = versioned
        self.known = known
    }

    var id: String { versioned.id }
    var version: Int { versioned.version }
    var list: ReorderableList { versioned.list }

    /// All tasks in order. O(tasks).
    var tasks: [CalendarTask] { indexed.tasks }

    var hasConflicts: Bool { indexed.hasConflicts }

    /// The task with this id. O(log tasks) for nearly all tasks, otherwise O(tasks).
    func task(_ id: TaskID) -> CalendarTask? {
        if let index { return index.places[id].map { index.tasks[$0] } }
        guard let task = list.task(id) else { return nil }
        return plain(task) ?? indexed.places[id].map { indexed.tasks[$0] }
    }

    /// The task with this name. O(log tasks) if the name follows from the id, otherwise O(tasks).
    func task(named name: String) -> CalendarTask? {
        if index == nil, let plain = plainTask(named: name) { return plain }
        return indexed.names[name].map { indexed.tasks[$0] }
    }

    /// The task with this name; nil if there is none whose name and UID follow from its id. O(log tasks).
    func plainTask(named name: String) -> CalendarTask? {
        guard let task = ResourceName.id(for: name).flatMap(list.task).flatMap(plain),
            task.name == name
        else { return nil }
        return task
    }

    /// The task with this UID. O(tasks), once for each version.
    func task(uid: String) -> CalendarTask? {
        if index == nil, let task = list.task(Identifier.lookup(uid)), let plain = plain(task),
            plain.uid.hasBytes(of: uid)
        {
            return plain
        }
        return indexed.uids[uid].map { indexed.tasks[$0] }
    }

    /// The top-level tasks whose text names a parent with this UID that did not exist.
    func tasks(waitingFor uid: String) -> [TaskID] { indexed.waiting[uid] ?? [] }

    /// Tasks in the order of the list, each once. O(tasks), if there are several.
    func ordered(_ some: [CalendarTask]) -> [CalendarTask] {
        guard some.count > 1 else { return some }
        let ids = Set(some.map(\.id))
        return tasks.filter { ids.contains($0.id) }
    }

    /// The UID of a task in this list.
    func uid(of id: TaskID) -> String { task(id)?.uid ?? id }

    /// Whether a task is another one, or above it.
    func isAncestor(_ ancestor: TaskID, of task: TaskID) -> Bool {
        var next: TaskID? = task
        while let id = next {
            if id == ancestor { return true }
            next = list.placement(of: id)?.parent
        }
        return false
    }

    /// A task whose name and UID follow from its id, and whose parent's do. Then no other task can have them.
    private func plain(_ task: ListTask) -> CalendarTask? {
        let stored = StoredResource(data: task.content.data)
        guard stored.name == nil, stored.uid == nil, !task.id.utf8.contains(UInt8(ascii: "~"))
        else { return nil }
        var parent = stored.parent
        if let id = task.placement.parent {
            guard let content = list.task(id)?.content,
                StoredResource(data: content.data).uid == nil
            else { return nil }
            parent = id
        }
        return CalendarTask(
            content: task.content, placement: task.placement, stored: stored,
            name: ResourceName.name(for: task.id), uid: task.id, parent: parent)
    }

    private var indexed: CalendarIndex {
        if let index { return index }
        let made = known.index(of: versioned)
        index = made
        return made
    }
}
