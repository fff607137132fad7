import ReorderEngine
import ReorderJSON

/// All tasks of a version of a list as resources, and where they are.
struct CalendarIndex: Sendable {
    /// In the order of the list.
    private(set) var tasks: [CalendarTask] = []
    private(set) var places: [TaskID: Int] = [:]
    private(set) var names: [String: Int] = [:]
    private(set) var uids: [String: Int] = [:]
    /// The tasks that wait for a parent with this UID.
    private(set) var waiting: [String: [TaskID]] = [:]
    /// Whether two tasks ask for the same UID or name, so that a change of one can rename the other.
    private(set) var hasConflicts = false
    /// The approximate memory.
    private(set) var bytes = 0

    /// Looks at all tasks. O(tasks).
    ///
    /// - Parameter former: the index of another version, so that what has not changed is not read again.
    init(of list: ReorderableList, former: CalendarIndex?) {
        tasks.reserveCapacity(list.count)
        places.reserveCapacity(list.count)
        names.reserveCapacity(list.count)
        uids.reserveCapacity(list.count)
        for task in list.tasks {
            let stored = former?.stored(of: task) ?? StoredResource(data: task.content.data)
            if let parent = stored.parent, task.placement.parent == nil {
                waiting[parent, default: []].append(task.id)
            }
            places[task.id] = tasks.count
            bytes += 800 + task.content.title.utf8.count + (task.content.data?.utf8.count ?? 0)
            tasks.append(
                CalendarTask(
                    content: task.content, placement: task.placement, stored: stored,
                    name: ResourceName.name(for: task.id), uid: task.id, parent: stored.parent))
        }
        nameAll()
        for place in tasks.indices {
            if let parent = tasks[place].placement.parent, let above = places[parent] {
                tasks[place].parent = tasks[above].uid
            }
        }
    }

    /// Whether a task has another name, UID or parent than in another version, or was not there.
    func renames(_ task: CalendarTask) -> Bool {
        guard let place = places[task.id] else { return true }
        return tasks[place].name != task.name || tasks[place].uid != task.uid
            || tasks[place].parent != task.parent
    }

    /// What a task with the same `data` had; nil if there was none.
    private func stored(of task: ListTask) -> StoredResource? {
        guard let place = places[task.id], let data = task.content.data,
            tasks[place].content.data?.hasBytes(of: data) == true
        else { return nil }
        return tasks[place].stored
    }

    /// Gives all tasks their names and UIDs. Those that follow from the ids come first: a task that was copied has the
    /// stored ones of the original.
    private mutating func nameAll() {
        for place in tasks.indices where tasks[place].stored.uid == nil {
            uids[tasks[place].uid] = place
        }
        for isPlain in [true, false] {
            for place in tasks.indices where tasks[place].stored.name == nil {
                guard tasks[place].id.utf8.contains(UInt8(ascii: "~")) != isPlain else { continue }
                if names[tasks[place].name] == nil {
                    names[tasks[place].name] = place
                } else {
                    setOwnName(of: place)
                }
            }
        }
        for place in tasks.indices {
            if let uid = tasks[place].stored.uid {
                if uids[uid] != nil { hasConflicts = true }
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

    /// Gives a task, whose name another one has, the name of its whole id; after `~`, if that is taken too.
    private mutating func setOwnName(of place: Int) {
        hasConflicts = true
        var name = tasks[place].id + ".ics"
        while names[name] != nil { name = "~" + name }
        tasks[place].name = name
        names[name] = place
    }
}
