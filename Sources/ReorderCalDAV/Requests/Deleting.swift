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
            let commands = Self.deletion(of: task.id, in: collection.list)
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
    static func deletion(of task: TaskID, in list: ReorderableList) -> [Command] {
        move(subtasksOf: task, in: list, to: Destination(before: task)) + [.delete(task)]
    }

    /// The commands that move the subtasks of a task, in their order.
    static func move(
        subtasksOf task: TaskID, in list: ReorderableList, to destination: Destination
    ) -> [Command] {
        let subtasks = (0..<(list.task(task)?.subtasks ?? 0)).compactMap {
            list.task(section: nil, parent: task, position: $0)?.id
        }
        return subtasks.isEmpty ? [] : [.move(MoveRequest(.tasks(subtasks), to: destination))]
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
