import ReorderEngine
import ReorderJSON
import ReorderService

/// The body of a batch. Each op has the body of the equivalent single request, plus `op`, and
/// `task` or `section` if that request has the id in its path.
struct BatchBody {
    /// The maximum number of ops in a batch.
    static let maximumOps = 1_000

    private var commands: [ListCommand] = []
    /// One element for each command.
    private(set) var rowVersions: [RowVersions] = []
    /// One element for each command.
    private var keys: [OperationKey?] = []
    private var hasKeys = false
    private(set) var ops = BatchOps()
    private var isAtomic = true

    /// - Parameter makeID: makes the ids of tasks and sections that the client did not name.
    init(from reader: inout JSONReader, makeID: () -> String) throws(JSONTypeError) {
        var hasOps = false
        var hasAtomic = false
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "ops":
                hasOps = true
                try readOps(from: &reader, makeID: makeID)
            case "steps": try readSteps(from: &reader, makeID: makeID)
            case "atomic":
                hasAtomic = true
                isAtomic = try reader.readBool()
            default: throw reader.unknownMember(allowed: ["ops", "atomic", "steps"])
            }
        }
        if ops.steps == nil {
            guard hasOps else { throw reader.missingMember("ops") }
        } else if hasOps || hasAtomic {
            throw reader.invalid("Send either steps, or ops with or without atomic.")
        }
    }

    var batch: Batch {
        let form: Batch.Form =
            ops.steps.map { .steps($0) } ?? (isAtomic ? .atomic : .separate)
        return Batch(commands, form, once: hasKeys ? keys : nil)
    }

    private mutating func readSteps(
        from reader: inout JSONReader, makeID: () -> String
    ) throws(JSONTypeError) {
        var steps: [Range<Int>] = []
        try reader.beginArray()
        while reader.nextElement() {
            let start = commands.count
            try readOps(from: &reader, makeID: makeID)
            guard start < commands.count else {
                throw reader.invalid("A step must have at least one op.")
            }
            steps.append(start..<commands.count)
        }
        ops.steps = steps
    }

    private mutating func readOps(
        from reader: inout JSONReader, makeID: () -> String
    ) throws(JSONTypeError) {
        try reader.beginArray()
        while reader.nextElement() {
            guard commands.count < Self.maximumOps else {
                throw reader.invalid("A batch must have at most \(Self.maximumOps) ops.")
            }
            try readOp(from: &reader, makeID: makeID)
        }
    }

    private mutating func readOp(
        from reader: inout JSONReader, makeID: () -> String
    ) throws(JSONTypeError) {
        let start = reader.offset
        var id: String?
        let kind = try Self.readKind(from: &reader)
        var versions = RowVersions()
        commands.append(
            try Self.readCommand(kind, from: &reader, id: &id, &versions, makeID: makeID))
        rowVersions.append(versions)
        ops.add(kind, id: id)
        keys.append(id.map { OperationKey(id: $0, op: reader.rawText(from: start)) })
        if id != nil { hasKeys = true }
    }

    enum Kind: String, CaseIterable {
        case move, create, update, collapse, delete
        case sectionCreate = "section-create"
        case sectionUpdate = "section-update"
        case sectionMove = "section-move"
        case sectionDelete = "section-delete"
        case list

        /// The members besides `op` and `opId`.
        fileprivate var members: [StaticString] {
            switch self {
            case .move: MoveBody.membersInOneList
            case .create: CreateTaskBody.members + ["undo"]
            case .update: ["task", "set"]
            case .collapse: ["task", "collapsed"]
            case .delete: ["task"]
            case .sectionCreate: ["section", "title", "position", "data", "maxTasks"]
            case .sectionUpdate: ["section", "title", "data", "maxTasks"]
            case .sectionMove: ["section", "position"]
            case .sectionDelete: ["section", "tasks"]
            case .list: ["set"]
            }
        }
    }

    private static func readKind(
        from reader: inout JSONReader
    ) throws(JSONTypeError) -> Kind {
        guard let op = try reader.peekString(ofMember: "op") else {
            throw reader.missingMember("op")
        }
        guard let kind = Kind(rawValue: op) else {
            let names = Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw reader.invalid("op must be one of \(names).")
        }
        return kind
    }

    private static func readCommand(
        _ kind: Kind, from reader: inout JSONReader, id: inout String?,
        _ rowVersions: inout RowVersions, makeID: () -> String
    ) throws(JSONTypeError) -> ListCommand {
        switch kind {
        case .move:
            var form = MoveBody()
            try read(&reader, kind, id: &id) { name, reader throws(JSONTypeError) in
                if case "toList" = name {
                    throw reader.invalid(
                        "A batch changes one list, so a move in it can't have toList.")
                }
                return try form.read(name, from: &reader)
            }
            let move: MoveRequest
            (move, rowVersions) = try form.request(reader)
            return .move(move)
        case .create:
            var form = CreateTaskBody()
            var isUndo = false
            try read(&reader, kind, id: &id) { name, reader throws(JSONTypeError) in
                guard case "undo" = name else { return try form.read(name, from: &reader) }
                isUndo = try reader.readBool()
                return true
            }
            var destination = form.destination
            destination.isUndo = isUndo
            return .create(try form.content(reader, makeID: makeID), at: destination)
        case .update, .collapse, .delete:
            return try readCommandOnTask(kind, from: &reader, id: &id)
        case .list:
            var body: SettingsBody?
            try read(&reader, kind, id: &id) { name, reader throws(JSONTypeError) in
                guard case "set" = name else { return false }
                body = try SettingsBody(from: &reader)
                return true
            }
            return .settings(body?.update ?? SettingsUpdate(), data: body?.data)
        case .sectionCreate, .sectionUpdate, .sectionMove, .sectionDelete:
            return try readCommandOnSection(kind, from: &reader, id: &id, makeID: makeID)
        }
    }

    private static func readCommandOnTask(
        _ kind: Kind, from reader: inout JSONReader, id: inout String?
    ) throws(JSONTypeError) -> ListCommand {
        var task: TaskID?
        var collapsed = true
        var patch = TaskPatch()
        try read(&reader, kind, id: &id) { name, reader throws(JSONTypeError) in
            switch (name, kind) {
            case ("task", _): task = try reader.readReference()
            case ("collapsed", .collapse): collapsed = try reader.readBool()
            case ("set", .update): patch = try TaskPatchBody(from: &reader).patch
            default: return false
            }
            return true
        }
        guard let task else { throw reader.missingMember("task") }
        switch kind {
        case .update: return .update(task, patch)
        case .collapse: return .collapse(task, collapsed)
        default: return .delete(task)
        }
    }

    private static func readCommandOnSection(
        _ kind: Kind, from reader: inout JSONReader, id: inout String?, makeID: () -> String
    ) throws(JSONTypeError) -> ListCommand {
        var section: SectionID?
        var title: String?
        var position: Int?
        var data: String?
        var hasData = false
        var maxTasks: LimitUpdate?
        var tasks = ReorderableList.SectionTasks.keep
        try read(&reader, kind, id: &id) { name, reader throws(JSONTypeError) in
            switch (name, kind) {
            case ("section", .sectionCreate): section = try reader.readIdentifier()
            case ("section", _): section = try reader.readReference()
            case ("title", .sectionCreate), ("title", .sectionUpdate):
                title = try reader.readTitle()
            case ("data", .sectionCreate), ("data", .sectionUpdate):
                data = try reader.readData()
                hasData = true
            case ("maxTasks", .sectionCreate), ("maxTasks", .sectionUpdate):
                maxTasks = LimitUpdate(try reader.readLimit())
            case ("position", .sectionCreate), ("position", .sectionMove):
                position = try reader.readCount()
            case ("tasks", .sectionDelete):
                tasks = try reader.readCase(of: ReorderableList.SectionTasks.self)
            default: return false
            }
            return true
        }
        if kind == .sectionCreate {
            guard let title else { throw reader.missingMember("title") }
            return .createSection(
                section ?? makeID(), title: title, position: position, data: data,
                maxTasks: maxTasks?.limit)
        }
        guard let section else { throw reader.missingMember("section") }
        switch kind {
        case .sectionUpdate:
            guard title != nil || hasData || maxTasks != nil else {
                throw reader.missingMember("title")
            }
            let patch = SectionPatch(
                title: title, data: hasData ? data ?? "null" : nil, maxTasks: maxTasks)
            return .updateSection(section, patch)
        case .sectionMove:
            guard let position else { throw reader.missingMember("position") }
            return .moveSection(section, position: position)
        default: return .deleteSection(section, tasks: tasks)
        }
    }

    /// Reads an op's members other than `op`, which has been read already.
    private static func read(
        _ reader: inout JSONReader, _ kind: Kind, id: inout String?,
        _ member: (JSONName, inout JSONReader) throws(JSONTypeError) -> Bool
    ) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "op": reader.skip()
            case "opId": id = try reader.readIdentifier()
            default:
                guard try member(name, &reader) else {
                    throw reader.unknownMember(allowed: ["op", "opId"] + kind.members)
                }
            }
        }
    }
}
