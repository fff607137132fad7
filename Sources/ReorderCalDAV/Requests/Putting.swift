import MicroHTTP
import ReorderAPI
import ReorderEngine
import ReorderJSON
import ReorderService

extension CalendarRequest {
    /// Creates a task, or gives it the content and the place that the text says.
    func putTask(named name: String, of list: String) throws -> Job {
        try checkType()
        let text = try text(of: request.body)
        return try put(text, named: name, in: list) { collection, task in
            try self.checkConditions(task?.tag)
        }
    }

    /// - Parameter check: throws if the request's conditions do not hold.
    func put(
        _ text: CalendarText, named name: String, in list: String,
        _ check: @escaping @Sendable (CalendarCollection, CalendarTask?) throws -> Void
    ) throws -> Job {
        let written = TaskMeaning(text)
        return try change(list, isShort: { $0.keepsPlace(of: name, written) }) {
            [self] collection, attempt in
            guard let collection else {
                throw DAVError(409, "The calendar does not exist.")
            }
            let task = collection.task(named: name)
            try check(collection, task)
            if task == nil { try checkRoom(in: collection) }
            let plan = try PutPlan(
                text, written, named: name, over: task, in: collection, now: service.now,
                isCurrent: request.headers.contains("If-Match")
            ) {
                self.newID(for: name, in: collection, isTaken: attempt.isTaken)
            }
            guard plan.commands.count <= Self.commandsAtOnce || attempt.count > 0 else {
                return .repair
            }
            let status = task == nil ? 201 : 204
            let (version, nextCheck, id) = (collection.version, plan.nextCheck, plan.task)
            let keepsOrder = plan.keepsOrder
            guard !plan.commands.isEmpty else {
                return .respond(try answer(status, to: text, id, in: collection))
            }
            return .write(.batch(Batch(plan.commands, .atomic))) { [self] result in
                if keepsOrder {
                    known.note(list, from: version, to: result.version, until: nextCheck)
                }
                return try read(
                    list, showsKeys: false, isShort: { $0.plainTask(named: name) != nil }
                ) { [self] collection in
                    .respond(try answer(status, to: text, id, in: collection))
                }
            }
        }
    }

    /// The tag is sent only if a GET returns the same bytes. Otherwise the client has to read them.
    private func answer(
        _ status: Int, to text: CalendarText, _ id: TaskID, in collection: CalendarCollection
    ) throws -> Response {
        var response = Response(status: status)
        if let task = collection.task(id), text.bytes == request.body,
            TaskRendering.bytes(of: task, written: text) == request.body
        {
            response.headers["ETag"] = task.tag
        }
        return response
    }

    private func checkType() throws(DAVError) {
        guard let type = request.headers["Content-Type"] else { return }
        let name = type.prefix { $0 != ";" }.lowercased()
        guard String(name).trimmingBlanks() == "text/calendar" else {
            throw DAVError(
                403, .caldav("supported-calendar-data"), "The body must be text/calendar.")
        }
    }

    func text(of bytes: [UInt8]) throws(DAVError) -> CalendarText {
        guard bytes.count <= DAV.maximumResourceBytes else { throw .tooLarge }
        do {
            return try CalendarText(bytes)
        } catch {
            switch error {
            case .malformed(let reason):
                throw DAVError(403, .caldav("valid-calendar-data"), reason)
            case .component(let name):
                throw DAVError(
                    403, .caldav("supported-calendar-component"),
                    "Only tasks (VTODO) can be stored, not \(name.prefix(64)).")
            case .notOneTask(let reason):
                throw DAVError(403, .caldav("valid-calendar-object-resource"), reason)
            }
        }
    }

    /// The id of a new task, from which its name follows if that is possible.
    func newID(for name: String, in collection: CalendarCollection, isTaken: Bool) -> TaskID {
        let random = UUIDv7.make(service.environment)
        guard let id = ResourceName.id(for: name) else { return ResourceName.unnamedID(random) }
        if !isTaken, !collection.list.contains(id) { return id }
        return ResourceName.id(id, suffix: String(random.suffix(8)))
            ?? ResourceName.unnamedID(random)
    }
}

extension CalendarCollection {
    /// Whether a text leaves a task where it is, by what is known without looking at all tasks.
    fileprivate func keepsPlace(of name: String, _ written: TaskMeaning) -> Bool {
        guard let task = plainTask(named: name), task.uid.hasBytes(of: written.uid) else {
            return false
        }
        return written.parent == task.parent && (!written.hasOrder || written.order == task.order)
    }
}
