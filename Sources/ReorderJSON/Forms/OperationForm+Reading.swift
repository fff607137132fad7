import ReorderEngine

extension ListOperation {
    /// Reads an operation in normal form, as in the journal and in `changes`.
    package init(from reader: inout JSONReader) throws(JSONTypeError) {
        var form = OperationForm()
        try reader.beginObject()
        while let name = reader.nextMember() { try form.read(name, from: &reader) }
        guard let operation = form.operation else {
            throw reader.invalid("This is not an operation in normal form.")
        }
        self = operation
    }
}

/// The members of all kinds of operations, in any order. The value of `op` decides which are used.
private struct OperationForm {
    private var kind = ""
    private var task: String?
    private var inserted: ListTask?
    private var section: String?
    private var parent: String?
    private var position: Int?
    private var collapsed: Bool?
    private var title: String?
    private var data: DataUpdate?
    private var maxTasks: LimitUpdate?
    private var taskUpdate = TaskUpdate()
    private var settingsUpdate = SettingsUpdate()

    mutating func read(_ name: JSONName, from reader: inout JSONReader) throws(JSONTypeError) {
        switch name {
        case "op": kind = try reader.readString()
        case "task":
            if reader.peek == .object {
                inserted = try Self.readTask(from: &reader)
            } else {
                task = try reader.readString()
            }
        case "section": section = try reader.readStringOrNull()
        case "parent": parent = try reader.readStringOrNull()
        case "position": position = try reader.readCount()
        case "collapsed": collapsed = try reader.readBool()
        case "title": title = try reader.readTitle()
        case "data": data = try reader.readData().map { .set($0) } ?? .remove
        case "maxTasks": maxTasks = LimitUpdate(try reader.readLimit())
        case "set": try readSet(from: &reader)
        default: throw reader.unknownMember()
        }
    }

    var operation: ListOperation? {
        switch (kind, task, section) {
        case ("move", let task?, let section):
            position.map { .move(task: task, section: section, parent: parent, position: $0) }
        case ("insert", nil, nil): inserted.map { .insert($0) }
        case ("update", let task?, nil): .update(task: task, set: taskUpdate)
        case ("collapse", let task?, nil):
            collapsed.map { .collapse(task: task, collapsed: $0) }
        case ("delete", let task?, nil): .delete(task: task)
        case ("list", nil, nil): .list(set: settingsUpdate)
        case ("section-insert", nil, let section?):
            if let title, let position {
                .sectionInsert(
                    section: section, title: title, position: position, data: insertedData,
                    maxTasks: maxTasks?.limit)
            } else {
                nil
            }
        case ("section-update", nil, let section?):
            title.map {
                .sectionUpdate(section: section, title: $0, data: data, maxTasks: maxTasks)
            }
        case ("section-move", nil, let section?):
            position.map { .sectionMove(section: section, position: $0) }
        case ("section-delete", nil, let section?): .sectionDelete(section: section)
        case ("replace", nil, nil): .replace
        default: nil
        }
    }

    /// The data of an inserted section.
    private var insertedData: String? { if case .set(let data)? = data { data } else { nil } }

    private static func readTask(from reader: inout JSONReader) throws(JSONTypeError) -> ListTask {
        var form = TaskForm()
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "row", "depth", "subtasks", "lockedByOffset": reader.skip()
            default:
                guard try form.readWithStamps(name, from: &reader) else {
                    throw reader.unknownMember()
                }
            }
        }
        guard let id = form.id, let title = form.title, let position = form.position else {
            throw reader.invalid("The task lacks its id, title or position.")
        }
        return ListTask(
            content: form.content(id: id, title: title),
            placement: Placement(
                section: form.section.value, parent: form.parent.value, position: position,
                row: nil),
            depth: 0, subtasks: 0)
    }

    /// `set` of a task and `set` of the list have the members `title` and `data` in common.
    private mutating func readSet(from reader: inout JSONReader) throws(JSONTypeError) {
        var completedBy: String?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "title":
                taskUpdate.title = try reader.readTitle()
                settingsUpdate.title = taskUpdate.title
            case "done": taskUpdate.done = try reader.readBool()
            case "locked": taskUpdate.locked = try reader.readBool()
            case "data":
                taskUpdate.data = try reader.readData().map { .set($0) } ?? .remove
                settingsUpdate.data = taskUpdate.data
            case "completedAt":
                taskUpdate.completed = try reader.readTimeOrNull().map { ChangeStamp(time: $0) }
            case "completedBy": completedBy = try reader.readStringOrNull()
            case "elementsOffset": settingsUpdate.elementsOffset = try reader.readCount()
            case "collapseSubElements":
                settingsUpdate.collapseSubElements = try reader.readBool()
            case "moves": settingsUpdate.moves = try reader.readCase(of: MovePolicy.self)
            case "maxDepth": settingsUpdate.maxDepth = LimitUpdate(try reader.readMaxDepth())
            case "maxTasksPerSection":
                settingsUpdate.maxTasksPerSection = LimitUpdate(try reader.readLimit())
            case "tasksPerParent":
                settingsUpdate.tasksPerParent = LimitUpdate(try reader.readLimit())
            default: throw reader.unknownMember()
            }
        }
        taskUpdate.completed?.author = completedBy
    }
}
