import ReorderEngine

/// The members of a command in JSON: of an op of a batch or an outbox, or of the body of a request of its own.
package struct CommandForm {
    package let kind: Command.Kind
    /// The id that makes the server apply the op once.
    package private(set) var opID: String?
    private let isOp: Bool
    private var task: TaskID?
    private var section: SectionID?
    private var subject: MoveRequest.Subject? { didSet { subjectCount += 1 } }
    private var subjectCount = 0
    private var place = DestinationForm()
    private var isUndo = false
    private var content = TaskForm()
    private var collapsed = true
    private var taskPatch = TaskPatch()
    private var settingsPatch = SettingsPatch()
    private var sectionPatch = SectionPatch()
    private var tasksOfSection = ReorderableList.SectionTasks.keep

    /// For the body of a request of its own.
    ///
    /// - Parameters:
    ///   - task: the task in the path.
    ///   - section: the section in the path.
    package init(bodyOf kind: Command.Kind, task: TaskID? = nil, section: SectionID? = nil) {
        self.kind = kind
        self.task = task
        self.section = section
        isOp = false
    }

    /// Reads an op of a batch or an outbox.
    ///
    /// - Parameters:
    ///   - further: the members of a move that only batches have.
    ///   - readFurther: reads the value of such a member; false if it is another one.
    package init(
        opFrom reader: inout JSONReader, further: [StaticString] = [],
        _ readFurther: (JSONName, inout JSONReader) throws(JSONTypeError) -> Bool = { _, _ in false
        }
    ) throws(JSONTypeError) {
        guard let op = try reader.peekString(ofMember: "op") else {
            throw reader.missingMember("op")
        }
        guard let kind = Command.Kind(rawValue: op) else {
            let names = Command.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw reader.invalid("op must be one of \(names).")
        }
        self.kind = kind
        isOp = true
        let isMove = kind == .move
        try reader.readObject(
            allowed: ["op", "opId"] + kind.members + (isMove ? further : [])
        ) { name, reader throws(JSONTypeError) in
            switch name {
            case "op": reader.skip()
            case "opId": opID = try reader.readIdentifier()
            default:
                if try read(name, from: &reader) { return true }
                return isMove ? try readFurther(name, &reader) : false
            }
            return true
        }
    }

    /// Reads the value of a member if the command has it.
    ///
    /// - Returns: false if it is another member. Then nothing was read.
    package mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        let members = isOp ? kind.members : kind.bodyMembers
        guard members.contains(where: { $0 ~= name }) else { return false }
        switch kind {
        case .move: return try readMove(name, from: &reader)
        case .create:
            if case "undo" = name {
                isUndo = try reader.readBool()
                return true
            }
            if try place.read(name, from: &reader) { return true }
            return try content.read(name, from: &reader)
        case .update where !isOp: return try taskPatch.read(name, from: &reader)
        case .list where !isOp: return try settingsPatch.read(name, from: &reader)
        case .update, .collapse, .delete, .list:
            switch name {
            case "task": task = try reader.readReference()
            case "collapsed": collapsed = try reader.readBool()
            default: try readSet(from: &reader)
            }
        case .sectionCreate, .sectionUpdate, .sectionMove, .sectionDelete:
            switch name {
            case "section" where kind != .sectionCreate: section = try reader.readReference()
            case "section", "id": section = try reader.readIdentifier()
            case "position": return try place.read(name, from: &reader)
            case "tasks":
                tasksOfSection = try reader.readCase(of: ReorderableList.SectionTasks.self)
            default: return try sectionPatch.read(name, from: &reader)
            }
        }
        return true
    }

    private mutating func readMove(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        case "task": subject = .task(try reader.readReference())
        case "tasks": subject = .tasks(try reader.readTasks())
        case "fromRow": subject = .row(try reader.readCount())
        case "fromRows": subject = .rows(try reader.readRows())
        case "from":
            let (section, row) = try reader.readSectionRow()
            subject = .path(section, row: row)
        case "undo": isUndo = try reader.readBool()
        default: return try place.read(name, from: &reader)
        }
        return true
    }

    private mutating func readSet(from reader: inout JSONReader) throws(JSONTypeError) {
        let isOfTask = kind == .update
        try reader.readObject(
            allowed: isOfTask ? TaskPatch.members : SettingsPatch.members
        ) { name, reader throws(JSONTypeError) in
            isOfTask
                ? try taskPatch.read(name, from: &reader)
                : try settingsPatch.read(name, from: &reader)
        }
    }

    /// The command from the members that were read; `reader` is at the end of the object.
    ///
    /// - Parameter makeID: makes the id of a task or section that has none; if it returns nil, an id is required.
    package func command(
        _ reader: borrowing JSONReader, makeID: () -> String? = { nil }
    ) throws(JSONTypeError) -> Command {
        switch kind {
        case .move: return .move(try move(reader))
        case .create:
            let title = try reader.required(content.title, "title")
            let id = try reader.required(content.id ?? makeID(), "id")
            var destination = try place.destination(reader) ?? Destination()
            destination.isUndo = isUndo
            return .create(content.content(id: id, title: title), at: destination)
        case .update: return .update(try reader.required(task, "task"), taskPatch)
        case .collapse: return .collapse(try reader.required(task, "task"), collapsed)
        case .delete: return .delete(try reader.required(task, "task"))
        case .list: return .settings(settingsPatch)
        case .sectionCreate:
            let title = try reader.required(sectionPatch.title, "title")
            return .createSection(
                try reader.required(section ?? makeID(), "section"), title: title,
                position: place.position,
                data: sectionPatch.data == "null" ? nil : sectionPatch.data,
                maxTasks: sectionPatch.maxTasks?.limit)
        case .sectionUpdate:
            let section = try reader.required(section, "section")
            guard !isOp || sectionPatch != SectionPatch() else {
                throw reader.missingMember("title")
            }
            return .updateSection(section, sectionPatch)
        case .sectionMove:
            let section = try reader.required(section, "section")
            return .moveSection(
                section, position: try reader.required(place.position, "position"))
        case .sectionDelete:
            return .deleteSection(try reader.required(section, "section"), tasks: tasksOfSection)
        }
    }

    /// The move from the members that were read; `reader` is at the end of the object.
    ///
    /// - Parameter isToList: whether the tasks move into another list.
    package func move(
        _ reader: borrowing JSONReader, isToList: Bool = false
    ) throws(JSONTypeError) -> MoveRequest {
        guard let subject, subjectCount == 1 else {
            throw reader.invalid(
                "A move needs exactly one of task, tasks, fromRow, fromRows and from.")
        }
        var destination = try place.destination(reader, of: "move", isToList: isToList)
        destination.isUndo = isUndo
        return MoveRequest(subject, to: destination)
    }
}

extension Command {
    /// Reads the body of a request of its own.
    ///
    /// - Parameters:
    ///   - task: the task in the path.
    ///   - section: the section in the path.
    ///   - makeID: as in `CommandForm.command`.
    package init(
        bodyOf kind: Kind, task: TaskID? = nil, section: SectionID? = nil,
        from reader: inout JSONReader, makeID: () -> String? = { nil }
    ) throws(JSONTypeError) {
        var form = CommandForm(bodyOf: kind, task: task, section: section)
        try reader.readObject(allowed: kind.bodyMembers) { name, reader throws(JSONTypeError) in
            try form.read(name, from: &reader)
        }
        self = try form.command(reader, makeID: makeID)
    }
}

extension JSONReader {
    /// Reads the members of an object one by one.
    ///
    /// - Parameters:
    ///   - allowed: its members, for the message about another one.
    ///   - read: reads the value of a member; false if the object must not have it.
    package mutating func readObject(
        allowed: @autoclosure () -> [StaticString],
        _ read: (JSONName, inout JSONReader) throws(JSONTypeError) -> Bool
    ) throws(JSONTypeError) {
        try beginObject()
        while let name = nextMember() {
            guard try read(name, &self) else { throw unknownMember(allowed: allowed()) }
        }
    }

    /// Returns a member's value, or throws if the object that was just left does not have the member.
    func required<Value>(
        _ value: Value?, _ name: StaticString
    ) throws(JSONTypeError) -> Value {
        guard let value else { throw missingMember(name) }
        return value
    }

    /// Reads the ids of at least one task.
    package mutating func readTasks() throws(JSONTypeError) -> [TaskID] {
        try readSet("task") { reader throws(JSONTypeError) in try reader.readReference() }
    }

    fileprivate mutating func readRows() throws(JSONTypeError) -> [Int] {
        try readSet("row") { reader throws(JSONTypeError) in try reader.readCount() }
    }

    private mutating func readSet<Element: Hashable>(
        _ noun: String, _ readElement: (inout JSONReader) throws(JSONTypeError) -> Element
    ) throws(JSONTypeError) -> [Element] {
        var elements: [Element] = []
        var seen: Set<Element> = []
        try beginArray()
        while nextElement() {
            let element = try readElement(&self)
            guard seen.insert(element).inserted else {
                throw invalid("A \(noun) must not be named twice.")
            }
            elements.append(element)
        }
        guard !elements.isEmpty else { throw invalid("At least one \(noun) must be named.") }
        return elements
    }
}
