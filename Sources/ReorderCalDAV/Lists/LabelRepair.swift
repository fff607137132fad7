import ReorderEngine
import ReorderJSON

/// The tasks of a collection whose stored keys have to change.
struct LabelRepair {
    private(set) var commands: [Command] = []
    private(set) var nextCheck: Int64?

    init() {}

    /// Looks at all siblings. O(tasks · log tasks).
    init(of collection: CalendarCollection, now: Int64) {
        var groups: [TaskID?: [CalendarTask]] = [:]
        for task in collection.tasks { groups[task.placement.parent, default: []].append(task) }
        for tasks in groups.values { add(tasks, now: now) }
    }

    /// Looks at siblings in their order. Returns their keys.
    @discardableResult
    mutating func add(_ tasks: [CalendarTask], now: Int64) -> (tasks: [CalendarTask], OrderLabels) {
        let tasks = tasks.allSatisfy(\.canStore) ? tasks : tasks.filter(\.canStore)
        let labels = OrderLabels(
            repairing: tasks.map {
                // A task with another parent gets another key, by which a client that has not read it is known.
                OrderLabels.Sibling(
                    key: $0.stored.below == $0.parent ? $0.order : nil,
                    changedAt: $0.content.stamps.updatedAt)
            }, now: now)
        for (task, key) in zip(tasks, labels.keys)
        where task.order != key || task.stored.below != task.parent {
            var stored = task.stored
            stored.place(key, below: task.parent, remembers: task.hasRoom)
            if let patch = DataPatch.make(nil, [], stored, from: task.stored) {
                commands.append(.update(task.id, TaskUpdate(data: .set(patch))))
            }
        }
        if let check = labels.nextCheck { nextCheck = min(nextCheck ?? .max, check) }
        return (tasks, labels)
    }
}
