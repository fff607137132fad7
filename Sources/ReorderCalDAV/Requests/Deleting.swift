import MicroHTTP
import ReorderAPI
import ReorderEngine
import ReorderJSON
import ReorderService

extension CalendarRequest {
    /// Deletes a task. Its subtasks stay, in its place.
    func deleteTask(named name: String, of list: String) throws -> Job {
        try change(list) { [self] collection, _ in
            guard let collection, let task = collection.task(named: name) else {
                throw DAVError.notFound
            }
            try checkConditions(task.tag)
            let commands = Self.deletion(of: task, in: collection)
            let version = collection.version
            return .write(.batch(Batch(commands, .atomic))) { [self] result in
                if commands.count == 1 {
                    known.note(list, from: version, to: result.version, until: nil)
                }
                return .respond(Response(status: 204))
            }
        }
    }

    /// The commands that delete a task and keep its subtasks.
    static func deletion(of task: CalendarTask, in collection: CalendarCollection) -> [Command] {
        lift(subtasksOf: task.id, in: collection) + [.delete(task.id)]
    }

    /// The commands that move the subtasks of a task to its place, in their order.
    static func lift(subtasksOf task: TaskID, in collection: CalendarCollection) -> [Command] {
        let children = subtasks(of: task, in: collection)
        guard !children.isEmpty else { return [] }
        return [.move(MoveRequest(.tasks(children), to: Destination(before: task)))]
    }

    static func subtasks(of task: TaskID, in collection: CalendarCollection) -> [TaskID] {
        let count = collection.list.task(task)?.subtasks ?? 0
        return (0..<count).compactMap {
            collection.list.task(section: nil, parent: task, position: $0)?.id
        }
    }

    /// Deletes a list: it goes to the bin.
    func deleteList(_ list: String) throws -> Job {
        try change(list) { [self] collection, _ in
            guard collection != nil else { throw DAVError.notFound }
            try checkConditions(nil)
            return .write(.deleteList()) { [self] _ in
                .wait { [service] proceed in
                    service.endLinks(to: list) {
                        proceed { .respond(Response(status: 204)) }
                    }
                }
            }
        }
    }
}
