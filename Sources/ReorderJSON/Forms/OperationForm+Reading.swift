import ReorderEngine

extension ListOperation {
    /// Reads an operation in normal form, as in the journal and in `changes`.
    package init(from reader: inout JSONReader) throws(JSONTypeError) {
        guard let operation = try OperationForm(from: &reader).operation else {
            throw reader.invalid("This is not an operation in normal form.")
        }
        self = operation
    }
}

/// The members of all kinds of operations, in any order. The value of `op` decides which are used.
private struct OperationForm {
    private let kind: String?
    private var task: String?
    private var inserted: ListTask?
    private var section: String?
    private var parent: String?
    private var position: Int?
    private var collapsed: Bool?
    private var taskUpdate = TaskUpdate()
    private var sectionUpdate = SectionUpdate()
    private var settingsUpdate = SettingsUpdate()

    private enum Name: JSONName { case op, task, section, parent, position, collapsed, set }

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        kind = try reader.peekString(ofMember: "op")
        try reader.beginObject()
        while let name = reader.nextMember() {
            if let name = Name(rawValue: name) {
                try read(name, from: &reader)
            } else {
                guard try sectionUpdate.read(name, from: &reader) else {
                    throw reader.unknownMember()
                }
            }
        }
    }

    private mutating func read(_ name: Name, from reader: inout JSONReader) throws(JSONTypeError) {
        switch name {
        case .op: reader.skip()
        case .task:
            if reader.peek == .object {
                inserted = try Self.readTask(from: &reader)
            } else {
                task = try reader.readString()
            }
        case .section: section = try reader.readStringOrNull()
        case .parent: parent = try reader.readStringOrNull()
        case .position: position = try reader.readCount()
        case .collapsed: collapsed = try reader.readBool()
        case .set where kind == "list": try reader.read(into: &settingsUpdate)
        case .set: try readTaskUpdate(from: &reader)
        }
    }

    var operation: ListOperation? {
        switch (kind ?? "", task, section) {
        case ("move", let task?, let section):
            position.map { .move(task: task, section: section, parent: parent, position: $0) }
        case ("insert", nil, nil): inserted.map { .insert($0) }
        case ("update", let task?, nil): .update(task: task, set: taskUpdate)
        case ("collapse", let task?, nil):
            collapsed.map { .collapse(task: task, collapsed: $0) }
        case ("delete", let task?, nil): .delete(task: task)
        case ("list", nil, nil): .list(set: settingsUpdate)
        case ("section-insert", nil, let section?):
            if let title = sectionUpdate.title, let position {
                .sectionInsert(
                    section: section, title: title, position: position,
                    data: sectionUpdate.data?.data, maxTasks: sectionUpdate.maxTasks?.limit)
            } else {
                nil
            }
        case ("section-update", nil, let section?):
            sectionUpdate.title.map {
                .sectionUpdate(
                    section: section, title: $0, data: sectionUpdate.data,
                    maxTasks: sectionUpdate.maxTasks)
            }
        case ("section-move", nil, let section?):
            position.map { .sectionMove(section: section, position: $0) }
        case ("section-delete", nil, let section?): .sectionDelete(section: section)
        case ("replace", nil, nil): .replace
        default: nil
        }
    }

    private static func readTask(from reader: inout JSONReader) throws(JSONTypeError) -> ListTask {
        var form = TaskForm()
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard try form.read(name, from: &reader) else { throw reader.unknownMember() }
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

    private mutating func readTaskUpdate(from reader: inout JSONReader) throws(JSONTypeError) {
        var completedBy: String?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "completedAt":
                taskUpdate.completed = try reader.readTimeOrNull().map { ChangeStamp(time: $0) }
            case "completedBy": completedBy = try reader.readStringOrNull()
            default:
                guard try taskUpdate.read(name, from: &reader) else {
                    throw reader.unknownMember()
                }
            }
        }
        taskUpdate.completed?.author = completedBy
    }
}
