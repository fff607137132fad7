import ReorderCrypto
import ReorderEngine
import ReorderJSON
import ReorderService

/// A task as a resource of a calendar.
struct CalendarTask: Sendable {
    let content: TaskContent
    let placement: Placement
    let stored: StoredResource
    /// The last segment of its path.
    var name: String
    var uid: String
    /// The UID of its parent, also of one that does not exist yet.
    var parent: String?

    var id: TaskID { content.id }
    var order: Int? { stored.order }

    /// Whether its `data` can have members. Other data belongs to its app.
    var hasObject: Bool { content.data.map { $0.utf8.first == UInt8(ascii: "{") } ?? true }

    /// Whether its `data` has room for a sort key.
    var canStore: Bool {
        guard let data = content.data else { return true }
        let room = stored.order == nil ? 64 : 16
        return hasObject && data.utf8.count + room <= FormLimits.dataBytes
    }

    /// Whether its `data` has room for former places too.
    var hasRoom: Bool { (content.data?.utf8.count ?? 0) + 256 <= FormLimits.dataBytes }

    var meaning: TaskMeaning {
        TaskMeaning(content, uid: uid, parent: parent, order: stored.order)
    }

    /// The entity tag: a digest of all that is rendered, so that it is known without rendering.
    var tag: String {
        var text = JSONWriter()
        text.beginArray()
        // Another rendering needs another number.
        text.int(1)
        text.string(uid)
        text.stringOrNull(parent)
        text.string(content.title)
        text.bool(content.done)
        text.bool(content.collapsed)
        for time in [
            content.stamps.createdAt, content.stamps.updatedAt, content.stamps.completedAt,
        ] {
            if let time { text.int(Int(time)) } else { text.null() }
        }
        text.stringOrNull(content.data)
        text.endArray()
        let digits = SHA256.digest(of: text.takeBytes()).prefix(12).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "\"\(digits.joined())\""
    }
}

/// A list as a collection of resources. Used on one thread.
final class CalendarCollection {
    let versioned: VersionedList

    private var index: Index?

    /// All tasks, and where they are.
    fileprivate struct Index {
        var tasks: [CalendarTask] = []
        var places: [TaskID: Int] = [:]
        var names: [String: Int] = [:]
        var uids: [String: Int] = [:]
        /// The tasks that wait for a parent with this UID.
        var waiting: [String: [TaskID]] = [:]
    }

    init(_ versioned: VersionedList) {
        self.versioned = versioned
    }

    var id: String { versioned.id }
    var version: Int { versioned.version }
    var list: ReorderableList { versioned.list }

    /// All tasks in order. O(tasks).
    var tasks: [CalendarTask] { indexed.tasks }

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
            plain.uid.utf8.elementsEqual(uid.utf8)
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

    private var indexed: Index {
        if let index { return index }
        var made = Index()
        for task in list.tasks {
            let stored = StoredResource(data: task.content.data)
            if let parent = stored.parent, task.placement.parent == nil {
                made.waiting[parent, default: []].append(task.id)
            }
            made.places[task.id] = made.tasks.count
            made.tasks.append(
                CalendarTask(
                    content: task.content, placement: task.placement, stored: stored,
                    name: ResourceName.name(for: task.id), uid: task.id, parent: stored.parent))
        }
        made.nameAll()
        for place in made.tasks.indices {
            if let parent = made.tasks[place].placement.parent, let above = made.places[parent] {
                made.tasks[place].parent = made.tasks[above].uid
            }
        }
        index = made
        return made
    }
}

extension CalendarCollection.Index {
    /// Gives all tasks their names and UIDs. Those that follow from the ids come first: a task that was copied has the
    /// stored ones of the original.
    fileprivate mutating func nameAll() {
        for place in tasks.indices where tasks[place].stored.uid == nil {
            uids[tasks[place].uid] = place
        }
        for isPlain in [true, false] {
            for place in tasks.indices where tasks[place].stored.name == nil {
                let task = tasks[place]
                guard task.id.utf8.contains(UInt8(ascii: "~")) != isPlain else { continue }
                if names[task.name] == nil {
                    names[task.name] = place
                } else {
                    setOwnName(of: place)
                }
            }
        }
        for place in tasks.indices {
            if let uid = tasks[place].stored.uid {
                tasks[place].uid = uids[uid] == nil ? uid : tasks[place].id
                uids[tasks[place].uid] = place
            }
            if let name = tasks[place].stored.name {
                if names[name] == nil {
                    tasks[place].name = name
                    names[name] = place
                } else {
                    setOwnName(of: place)
                }
            }
        }
    }

    /// Gives a task, whose name another one has, the name of its whole id.
    private mutating func setOwnName(of place: Int) {
        tasks[place].name = tasks[place].id + ".ics"
        names[tasks[place].name] = place
    }
}
