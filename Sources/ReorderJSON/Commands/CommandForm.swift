import ReorderEngine

/// The members of a command in JSON: of an op of a batch or an outbox, or of the body of a request of its own.
///
/// Not copyable, because it has the parts of all commands, and a copy would count a reference to each.
package struct CommandForm: ~Copyable {
    package let kind: Command.Kind
    /// The id that makes the server apply the op once.
    package private(set) var opID: String?
    let isOp: Bool
    private let members: [JSONName]
    private(set) var task: TaskID?
    private(set) var section: SectionID?
    private var subject: MoveRequest.Subject?
    private var subjectCount = 0
    private(set) var place = DestinationForm()
    private(set) var isUndo = false
    private(set) var collapsed: Bool?
    private(set) var taskUpdate = TaskUpdate()
    private(set) var settingsUpdate = SettingsUpdate()
    private(set) var sectionUpdate = SectionUpdate()
    private(set) var tasksOfSection = ReorderableList.SectionTasks.keep

    /// The reader of members that a move has only in some places; it returns false if a member is none of them.
    package typealias FurtherReader =
        (JSONName, inout JSONReader) throws(JSONTypeError) -> Bool

    /// Reads the body of a request of its own.
    ///
    /// - Parameters:
    ///   - task: the task in the path.
    ///   - section: the section in the path.
    ///   - further: the names of the members that `readFurther` reads.
    package init(
        bodyOf kind: Command.Kind, task: TaskID? = nil, section: SectionID? = nil,
        from reader: inout JSONReader, further: [JSONName] = [],
        _ readFurther: FurtherReader = { _, _ in false }
    ) throws(JSONTypeError) {
        self.init(kind, isOp: false, kind.bodyMembers)
        self.task = task
        self.section = section
        try readMembers(from: &reader, further, readFurther)
    }

    /// Reads an op of a batch or an outbox.
    ///
    /// - Parameter further: as for a body.
    package static func op(
        from reader: inout JSONReader, further: [JSONName] = [],
        _ readFurther: FurtherReader = { _, _ in false }
    ) throws(JSONTypeError) -> CommandForm {
        let kind = try reader.peekKind()
        var form = CommandForm(kind, isOp: true, ["op", "opId"] + kind.members)
        try form.readMembers(from: &reader, further, readFurther)
        return form
    }

    private init(_ kind: Command.Kind, isOp: Bool, _ members: [JSONName]) {
        self.kind = kind
        self.isOp = isOp
        self.members = members
    }

    private mutating func readMembers(
        from reader: inout JSONReader, _ further: [JSONName], _ readFurther: FurtherReader
    ) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            if try read(name, from: &reader) { continue }
            guard kind == .move, try readFurther(name, &reader) else {
                throw reader.unknownMember(allowed: members + (kind == .move ? further : []))
            }
        }
    }

    /// Reads the value of a member if the command has it.
    ///
    /// - Returns: false if it is another member. Then nothing was read.
    private mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        guard members.contains(where: { $0 == name }) else { return false }
        switch (kind, name) {
        case (.move, "task"): take(.task(try reader.readReference()))
        case (.move, "tasks"): take(.tasks(try reader.readTasks()))
        case (.move, "fromRow"): take(.row(try reader.readCount()))
        case (.move, "fromRows"): take(.rows(try reader.readRows()))
        case (.move, "from"):
            let (section, row) = try reader.readSectionRow()
            take(.path(section, row: row))
        case (.sectionDelete, "tasks"):
            tasksOfSection = try reader.readCase(of: ReorderableList.SectionTasks.self)
        case (.sectionCreate, "section"), (.sectionCreate, "id"):
            section = try reader.readIdentifier()
        case (.sectionUpdate, "section"), (.sectionMove, "section"), (.sectionDelete, "section"):
            section = try reader.readReference()
        case (_, "op"): reader.skip()
        case (_, "opId"): opID = try reader.readIdentifier()
        case (.list, "set"): try reader.read(into: &settingsUpdate)
        case (_, "set"): try reader.read(into: &taskUpdate)
        case (_, "task"): task = try reader.readReference()
        case (_, "id"): task = try reader.readIdentifier()
        case (_, "collapsed"): collapsed = try reader.readBool()
        case (_, "undo"): isUndo = try reader.readBool()
        default:
            if try place.read(name, from: &reader) { return true }
            switch kind {
            case .sectionCreate, .sectionUpdate:
                return try sectionUpdate.read(name, from: &reader)
            case .list: return try settingsUpdate.read(name, from: &reader)
            default: return try taskUpdate.read(name, from: &reader)
            }
        }
        return true
    }

    private mutating func take(_ subject: MoveRequest.Subject) {
        self.subject = subject
        subjectCount += 1
    }

    /// The move from the members that were read; `reader` is at the end of the object.
    ///
    /// - Parameter isToList: whether the tasks move into another list.
    package consuming func move(
        _ reader: borrowing JSONReader, isToList: Bool = false
    ) throws(JSONTypeError) -> MoveRequest {
        guard let subject, subjectCount == 1 else {
            throw reader.invalid(
                "A move needs exactly one of task, tasks, fromRow, fromRows and from.")
        }
        var move = MoveRequest(
            subject, to: try place.destination(reader, of: "move", isToList: isToList))
        move.destination.isUndo = isUndo
        return move
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
        let form = try CommandForm(bodyOf: kind, task: task, section: section, from: &reader)
        self = try form.command(reader, makeID: makeID)
    }
}

extension JSONReader {
    /// The kind of the next op. Does not advance.
    fileprivate mutating func peekKind() throws(JSONTypeError) -> Command.Kind {
        guard let op = try peekString(ofMember: "op") else { throw missingMember("op") }
        guard let kind = Command.Kind(rawValue: op) else {
            let names = Command.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw invalid("op must be one of \(names).")
        }
        return kind
    }

    /// Reads the members of an object one by one.
    ///
    /// - Parameters:
    ///   - allowed: its members, for the message about another one.
    ///   - read: reads the value of a member; false if the object must not have it.
    package mutating func readObject(
        allowed: @autoclosure () -> [JSONName],
        _ read: (JSONName, inout JSONReader) throws(JSONTypeError) -> Bool
    ) throws(JSONTypeError) {
        try beginObject()
        while let name = nextMember() {
            guard try read(name, &self) else { throw unknownMember(allowed: allowed()) }
        }
    }

    /// Returns a member's value, or throws if the object that was just left does not have the member.
    package func required<Value>(
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
