import MicroHTTP
import ReorderAPI
import ReorderEngine
import ReorderJSON
import ReorderService

/// COPY and MOVE of tasks.
extension CalendarRequest {
    func copyTask(named name: String, of list: String) throws -> Job {
        let (target, newName) = try destination()
        guard (target, newName) != (list, name) else {
            throw DAVError(403, "The destination is the task itself.")
        }
        return try read(list) { [self] collection in
            guard let task = collection.task(named: name) else { throw DAVError.notFound }
            try checkConditions(task.tag)
            let text = try text(of: TaskRendering.bytes(of: task))
            return try put(text, named: newName, in: target) { _, other in
                try self.checkOverwrite(other)
            }
        }
    }

    func moveTask(named name: String, of list: String) throws -> Job {
        let (target, newName) = try destination()
        guard (target, newName) != (list, name) else {
            throw DAVError(403, "The destination is the task itself.")
        }
        guard target != list else {
            return try change(list) { [self] collection, attempt in
                guard let collection, let task = collection.task(named: name) else {
                    throw DAVError.notFound
                }
                try checkConditions(task.tag)
                let other = collection.task(named: newName)
                try checkOverwrite(other)
                let commands = try renaming(
                    task, task.uid, to: newName, over: other, in: collection, attempt)
                return .write(.batch(Batch(commands, .atomic))) { [self] _ in
                    .respond(moved(to: target, newName, over: other != nil))
                }
            }
        }
        guard mayWrite(list) else { throw ServiceError.listReadOnly(list) }
        return try read(list) { [self] source in
            guard let task = source.task(named: name) else { throw DAVError.notFound }
            try checkConditions(task.tag)
            // A refusal comes before the first change.
            _ = try renaming(task, task.uid, to: newName, over: nil, in: source, Attempt())
            return try read(target, showsKeys: false) { [self] collection in
                let other = collection.task(named: newName)
                try checkOverwrite(other)
                if let same = collection.task(uid: task.uid), same.id != other?.id {
                    throw DAVError(
                        403, .caldav("no-uid-conflict"),
                        href: DAVPath.task(list: target, name: same.name).href,
                        "A task of the other calendar has the same UID.")
                }
                try checkRoom(in: collection)
                var rest = collection.list
                _ = try Self.remove(other, from: &rest)
                return try transfer(task, of: list, to: target, newName, over: other?.id)
            }
        }
    }

    /// Moves the task with its subtasks into another list. Then gives it the name there, over the task that has it.
    private func transfer(
        _ task: CalendarTask, of list: String, to target: String, _ name: String,
        over other: TaskID?
    ) throws -> Job {
        try change(list) { [self] collection, _ in
            guard let collection, let current = collection.task(task.id), current.tag == task.tag
            else { throw DAVError.preconditionFailed }
            let request = MoveRequest(
                .task(task.id), to: Destination(place: .init(.section(nil))))
            return .write(.transfer(request, to: target)) { [self] _ in
                try rename(task, in: target, to: name, over: other)
            }
        }
    }

    private func rename(
        _ task: CalendarTask, in list: String, to name: String, over other: TaskID?
    ) throws -> Job {
        try change(list) { [self] collection, attempt in
            let other = other.flatMap { collection?.task($0) }
            guard let collection, let arrived = collection.task(task.id),
                other != nil || arrived.name != name
            else { return .respond(moved(to: list, name, over: false)) }
            let commands = try renaming(
                arrived, task.uid, to: name, over: other, in: collection, attempt)
            return .write(.batch(Batch(commands, .atomic))) { [self] _ in
                .respond(moved(to: list, name, over: other != nil))
            }
        }
    }

    /// The commands that give a task another name: another task, from whose id the name follows, takes its place.
    ///
    /// - Parameter uid: of the task. It hides that of a task which comes from another list.
    private func renaming(
        _ task: CalendarTask, _ uid: String, to name: String, over other: CalendarTask?,
        in collection: CalendarCollection, _ attempt: Attempt
    ) throws(DAVError) -> [Command] {
        let isTaken = attempt.isTaken || other != nil
        let id = newID(for: name, in: collection, isTaken: isTaken)
        var stored = task.stored
        stored.name = ResourceName.name(for: id) == name ? nil : name
        stored.uid = id == uid ? nil : uid
        var content = task.content
        content.id = id
        if let patch = DataPatch.make(nil, [], stored, from: task.stored) {
            guard task.hasObject else { throw .otherData }
            guard let data = try? MergePatch.apply(patch, to: content.data),
                FormLimits.allowsData(data)
            else { throw .tooLarge }
            content.data = data
        }
        var list = collection.list
        var commands = try Self.remove(other, from: &list)
        commands.append(.create(content, at: Destination(after: task.id)))
        commands += Self.move(
            subtasksOf: task.id, in: list, to: Destination(place: .init(.subtasks(of: id))))
        commands.append(.delete(task.id))
        return commands
    }

    /// Deletes a task of a copy of its list. Returns the commands that do it.
    private static func remove(
        _ task: CalendarTask?, from list: inout ReorderableList
    ) throws(DAVError) -> [Command] {
        guard let task else { return [] }
        let commands = deletion(of: task.id, in: list)
        for command in commands {
            do { _ = try command.apply(to: &list) } catch {
                guard case .refused(let refusal) = error else { throw .tooLarge }
                throw DAVError(refusal)
            }
        }
        return commands
    }

    private func destination() throws(DAVError) -> (list: String, name: String) {
        guard let field = request.headers["Destination"] else {
            throw DAVError(400, "The field Destination is missing.")
        }
        guard isHere(field) else { throw DAVError(502, "The destination is on another server.") }
        guard case .task(let list, let name)? = DAVPath(reference: field) else {
            throw DAVError(403, "The destination must be a task of a calendar.")
        }
        guard mayRead(list) else { throw DAVError(409, "The calendar does not exist.") }
        return (list, name)
    }

    /// Whether a path or a URL is on this server. Ports are not compared: proxies change them.
    private func isHere(_ reference: String) -> Bool {
        func host(_ authority: Substring) -> String {
            let end = authority.lastIndex(of: "]") ?? authority.startIndex
            let port = authority[end...].firstIndex(of: ":") ?? authority.endIndex
            return authority[..<port].lowercased()
        }
        guard let scheme = reference.firstRange(of: "://") else { return true }
        let wanted = host(reference[scheme.upperBound...].prefix { $0 != "/" })
        let known = request.headers.all("Host") + request.headers.all("X-Forwarded-Host")
        return known.contains { host(Substring($0)) == wanted }
    }

    private func checkOverwrite(_ task: CalendarTask?) throws(DAVError) {
        guard task == nil || request.headers["Overwrite"]?.uppercased() != "F" else {
            throw DAVError(412, "The destination exists.")
        }
    }

    private func moved(to list: String, _ name: String, over isOver: Bool) -> Response {
        Response(
            status: isOver ? 204 : 201,
            headers: ["Location": DAVPath.task(list: list, name: name).href])
    }
}
