import ReorderEngine
import ReorderJSON

extension PendingOperation {
    /// The form for the outbox.
    package func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.operation(self)
        return writer.bytes
    }
}

extension JSONWriter {
    /// Writes an operation in the form that batches and the outbox both use.
    mutating func operation(_ operation: PendingOperation) {
        beginObject()
        name("opId")
        string(operation.id)
        name("op")
        switch operation.intent {
        case .move(let request):
            string("move")
            subject(request.subject)
            destination(request.destination)
        case .create(let content, let place):
            string("create")
            self.content(content)
            destination(place)
        case .update(let task, let changes):
            string("update")
            member("task", task)
            name("set")
            self.changes(changes)
        case .collapse(let task, let collapsed):
            string("collapse")
            member("task", task)
            name("collapsed")
            bool(collapsed)
        case .delete(let task):
            string("delete")
            member("task", task)
        case .settings(let update, let data):
            string("list")
            name("set")
            settings(update, data: data)
        case .createSection(let section, let title, let position, let data, let maxTasks):
            string("section-create")
            member("section", section)
            member("title", title)
            if let position { member("position", position) }
            if let data { self.data(data) }
            limit("maxTasks", maxTasks)
        case .updateSection(let section, let title, let data, let maxTasks):
            string("section-update")
            member("section", section)
            if let title { member("title", title) }
            if let data { self.data(data) }
            limit("maxTasks", maxTasks)
        case .moveSection(let section, let position):
            string("section-move")
            member("section", section)
            member("position", position)
        case .deleteSection(let section, let tasks):
            string("section-delete")
            member("section", section)
            member("tasks", tasks.rawValue)
        }
        endObject()
    }

    private mutating func member(_ name: StaticString, _ value: String) {
        self.name(name)
        string(value)
    }

    private mutating func member(_ name: StaticString, _ value: Int) {
        self.name(name)
        int(value)
    }

    private mutating func subject(_ subject: MoveRequest.Subject) {
        switch subject {
        case .task(let task): member("task", task)
        case .tasks(let tasks):
            name("tasks")
            beginArray()
            for task in tasks { string(task) }
            endArray()
        // An intent never has rows (`Intent.anchored`).
        case .row, .rows, .path: break
        }
    }

    mutating func destination(_ destination: Destination) {
        if let after = destination.after { member("after", after) }
        if let before = destination.before { member("before", before) }
        guard let place = destination.place else { return }
        switch place.siblings {
        case .subtasks(let parent): member("parent", parent)
        case .section(let section):
            name("section")
            stringOrNull(section)
        case .topLevel:
            name("parent")
            null()
        case .own: break
        }
        if let position = place.position { member("position", max(0, position)) }
        if destination.isUndo { flag("undo") }
    }

    private mutating func content(_ content: TaskContent) {
        member("id", content.id)
        member("title", content.title)
        if content.collapsed { flag("collapsed") }
        if content.locked { flag("locked") }
        if content.done { flag("done") }
        if let data = content.data { self.data(data) }
    }

    private mutating func data(_ data: String) {
        name("data")
        raw(data.utf8)
    }

    private mutating func flag(_ name: StaticString) {
        self.name(name)
        bool(true)
    }

    private mutating func changes(_ changes: TaskChanges) {
        beginObject()
        if let title = changes.title { member("title", title) }
        if let done = changes.done {
            name("done")
            bool(done)
        }
        if let locked = changes.locked {
            name("locked")
            bool(locked)
        }
        if let data = changes.data { self.data(data) }
        endObject()
    }

    private mutating func settings(_ update: SettingsUpdate, data: String?) {
        beginObject()
        if let title = update.title { member("title", title) }
        if let offset = update.elementsOffset { member("elementsOffset", offset) }
        if let collapse = update.collapseSubElements {
            name("collapseSubElements")
            bool(collapse)
        }
        if let moves = update.moves { member("moves", moves.rawValue) }
        limits(update)
        if let data { self.data(data) }
        endObject()
    }
}
