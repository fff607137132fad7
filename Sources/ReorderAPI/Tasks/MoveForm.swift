import ReorderEngine
import ReorderJSON

/// The members that name a destination, in a move as in the making of a task.
struct DestinationForm {
    var after: TaskID?
    var before: TaskID?
    var section = Member<SectionID>.absent
    var parent = Member<TaskID>.absent
    var position: Int?

    /// Reads the value of a member, where it is one of a destination's.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        case "after": after = try reader.readString()
        case "before": before = try reader.readString()
        case "section": section = try reader.readStringOrNull().map { .value($0) } ?? .null
        case "parent": parent = try reader.readStringOrNull().map { .value($0) } ?? .null
        case "position": position = try reader.readCount()
        default: return false
        }
        return true
    }

    /// `nil` where no member was given.
    var destination: Destination? {
        let destination = Destination(after: after, before: before, place: place)
        return destination == Destination() ? nil : destination
    }

    private var place: Destination.Place? {
        switch (parent, section) {
        case (.value(let parent), _): .init(.subtasks(of: parent), position: position)
        case (_, .value(let section)): .init(.section(section), position: position)
        case (_, .null): .init(.section(nil), position: position)
        case (.null, .absent): .init(.topLevel, position: position)
        case (.absent, .absent): position.map { .init(.own, position: $0) }
        }
    }
}

/// The body of a move.
struct MoveForm {
    let request: MoveRequest

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var task: TaskID?
        var tasks: [TaskID]?
        var fromRow: Int?
        var toRow: Int?
        var destination = DestinationForm()
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "task": task = try reader.readString()
            case "tasks": tasks = try Self.readTasks(from: &reader)
            case "fromRow": fromRow = try reader.readCount()
            case "toRow": toRow = try reader.readCount()
            default:
                guard try destination.read(name, from: &reader) else {
                    throw reader.unknownMember()
                }
            }
        }
        let subject: MoveRequest.Subject
        switch (task, tasks, fromRow) {
        case (let task?, nil, nil): subject = .task(task)
        case (nil, let tasks?, nil): subject = .tasks(tasks)
        case (nil, nil, let row?): subject = .row(row)
        default: throw reader.invalid("A move names one of task, tasks and fromRow.")
        }
        switch (toRow, destination.destination) {
        case (let row?, nil):
            guard fromRow != nil else { throw reader.invalid("toRow goes with fromRow.") }
            request = MoveRequest(subject, to: Destination(row: row))
        case (nil, let destination?): request = MoveRequest(subject, to: destination)
        case (.some, .some):
            throw reader.invalid("toRow is a destination by itself: no other may stand beside it.")
        case (nil, nil):
            throw reader.invalid(
                "A move needs a destination: after, before, parent, section, position or toRow.")
        }
    }

    private static func readTasks(from reader: inout JSONReader) throws(JSONTypeError) -> [TaskID] {
        var tasks: [TaskID] = []
        var seen: Set<TaskID> = []
        try reader.beginArray()
        while reader.nextElement() {
            let task = try reader.readString()
            guard seen.insert(task).inserted else {
                throw reader.invalid("A task is named once.")
            }
            tasks.append(task)
        }
        guard !tasks.isEmpty else { throw reader.invalid("At least one task must be named.") }
        return tasks
    }
}

/// The body that makes a task: what it is, and where it goes.
struct CreateForm {
    let content: TaskContent
    let destination: Destination

    init(from reader: inout JSONReader, makeID: () -> String) throws(JSONTypeError) {
        var form = TaskForm()
        var place = DestinationForm()
        try reader.beginObject()
        while let name = reader.nextMember() {
            if try place.read(name, from: &reader) { continue }
            guard try form.read(name, from: &reader) else { throw reader.unknownMember() }
        }
        guard let title = form.title else { throw reader.missingMember("title") }
        content = form.content(id: form.id ?? makeID(), title: title)
        destination = place.destination ?? Destination()
    }
}

/// The body of a collapse: `{"collapsed": true}`.
struct CollapseForm {
    let collapsed: Bool

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var collapsed: Bool?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "collapsed": collapsed = try reader.readBool()
            default: throw reader.unknownMember()
            }
        }
        guard let collapsed else { throw reader.missingMember("collapsed") }
        self.collapsed = collapsed
    }
}
