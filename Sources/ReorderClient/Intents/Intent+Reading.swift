import ReorderEngine
import ReorderJSON

extension PendingOperation {
    /// Reads an operation from the outbox.
    init(json: [UInt8]) throws {
        var reader = JSONReader(try JSONText(checking: json, maximumDepth: 24))
        var members = OperationMembers()
        try reader.beginObject()
        while let name = reader.nextMember() { try members.read(name, from: &reader) }
        guard let intent = members.intent, !members.operation.isEmpty else {
            throw reader.invalid("This is not a valid operation.")
        }
        self.init(id: members.operation, intent: intent)
    }
}

/// The members of all kinds of operations. The value of `op` decides which are used.
private struct OperationMembers {
    var operation = ""
    var kind = ""
    var task: TaskID?
    var tasks: [TaskID]?
    var form = TaskForm()
    var after: TaskID?
    var before: TaskID?
    var isUndo = false
    var removal: String?
    /// The data of a section, or its patch.
    var data: String?
    var maxTasks: LimitUpdate?
    var changes = TaskChanges()
    var settings = SettingsUpdate()

    mutating func read(_ name: JSONName, from reader: inout JSONReader) throws {
        switch name {
        case "opId": operation = try reader.readString()
        case "op": kind = try reader.readString()
        case "task": task = try reader.readString()
        case "tasks":
            guard reader.peek == .array else {
                removal = try reader.readString()
                return
            }
            var all: [TaskID] = []
            try reader.beginArray()
            while reader.nextElement() { all.append(try reader.readString()) }
            tasks = all
        case "after": after = try reader.readString()
        case "before": before = try reader.readString()
        case "undo": isUndo = try reader.readBool()
        case "set": try readSet(from: &reader)
        case "maxTasks": maxTasks = LimitUpdate(try reader.readLimit())
        case "data" where kind.hasPrefix("section-"): data = reader.readRaw()
        default:
            guard try form.read(name, from: &reader) else { throw reader.unknownMember() }
        }
    }

    var intent: Intent? {
        switch (kind, task, form.section.value) {
        case ("move", _, _):
            (tasks.map { .tasks($0) } ?? task.map { .task($0) }).map { subject in
                .move(MoveRequest(subject, to: destination))
            }
        case ("create", nil, _):
            if let id = form.id, let title = form.title {
                .create(form.content(id: id, title: title), at: destination)
            } else {
                nil
            }
        case ("update", let task?, nil): .update(task, changes)
        case ("collapse", let task?, nil): .collapse(task, form.collapsed)
        case ("delete", let task?, nil): .delete(task)
        case ("list", nil, nil): .settings(settings, data: changes.data)
        case ("section-create", nil, let section?):
            form.title.map {
                .createSection(
                    section, title: $0, position: form.position, data: data,
                    maxTasks: maxTasks?.limit)
            }
        case ("section-update", nil, let section?):
            form.title == nil && data == nil && maxTasks == nil
                ? nil
                : .updateSection(section, title: form.title, data: data, maxTasks: maxTasks)
        case ("section-move", nil, let section?):
            form.position.map { .moveSection(section, position: $0) }
        case ("section-delete", nil, let section?):
            removal.flatMap { ReorderableList.SectionTasks(rawValue: $0) }
                .map { .deleteSection(section, tasks: $0) }
        default: nil
        }
    }

    private var destination: Destination {
        var destination = Destination(after: after, before: before)
        destination.isUndo = isUndo
        switch (form.parent, form.section) {
        case (.value(let parent), _):
            destination.place = .init(.subtasks(of: parent), position: form.position)
        case (_, .value(let section)):
            destination.place = .init(.section(section), position: form.position)
        case (_, .null): destination.place = .init(.section(nil), position: form.position)
        case (.null, .absent): destination.place = .init(.topLevel, position: form.position)
        case (.absent, .absent):
            destination.place = form.position.map { .init(.own, position: $0) }
        }
        return destination
    }

    private mutating func readSet(from reader: inout JSONReader) throws {
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "title":
                changes.title = try reader.readTitle()
                settings.title = changes.title
            case "done": changes.done = try reader.readBool()
            case "locked": changes.locked = try reader.readBool()
            case "data": changes.data = reader.readRaw()
            case "elementsOffset": settings.elementsOffset = try reader.readCount()
            case "collapseSubElements": settings.collapseSubElements = try reader.readBool()
            case "moves": settings.moves = try reader.readCase(of: MovePolicy.self)
            case "maxDepth": settings.maxDepth = LimitUpdate(try reader.readMaxDepth())
            case "maxTasksPerSection":
                settings.maxTasksPerSection = LimitUpdate(try reader.readLimit())
            case "tasksPerParent": settings.tasksPerParent = LimitUpdate(try reader.readLimit())
            default: throw reader.unknownMember()
            }
        }
    }
}
