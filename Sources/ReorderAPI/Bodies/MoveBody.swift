import ReorderEngine
import ReorderJSON
import ReorderService

/// The body of a move.
struct MoveBody {
    private static let own: [StaticString] = [
        "task", "tasks", "fromRow", "fromRows", "from", "undo",
    ]
    /// Those of a move in a batch.
    static let membersInOneList = own + TargetMembers.membersInOneList
    static let members = own + TargetMembers.members

    private var subject: MoveRequest.Subject? { didSet { subjectCount += 1 } }
    private var subjectCount = 0
    private var target = TargetMembers()
    private var isUndo = false
    /// The list that the tasks move into.
    var toList: String? { target.toList }

    init() {}

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard try read(name, from: &reader) else {
                throw reader.unknownMember(allowed: Self.members)
            }
        }
    }

    /// Reads a member if it is part of a move.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        case "task": subject = .task(try reader.readReference())
        case "tasks": subject = .tasks(try Self.readTasks(from: &reader))
        case "fromRow": subject = .row(try reader.readCount())
        case "fromRows": subject = .rows(try Self.readRows(from: &reader))
        case "from":
            let row = try SectionRow(from: &reader)
            subject = .path(row.section, row: row.row)
        case "undo": isUndo = try reader.readBool()
        default: return try target.read(name, from: &reader)
        }
        return true
    }

    /// The request from the members that were read, and the versions in which its rows are counted;
    /// `reader` is at the end of the object.
    func request(
        _ reader: borrowing JSONReader
    ) throws(JSONTypeError) -> (MoveRequest, RowVersions) {
        guard let subject, subjectCount == 1 else {
            throw reader.invalid(
                "A move needs exactly one of task, tasks, fromRow, fromRows and from.")
        }
        var request = MoveRequest(subject, to: try target.destination(reader, of: "move"))
        request.destination.isUndo = isUndo
        return (request, try target.rowVersions(of: request, reader))
    }

    static func readTasks(from reader: inout JSONReader) throws(JSONTypeError) -> [TaskID] {
        try readSet(from: &reader, "task") { reader throws(JSONTypeError) in
            try reader.readReference()
        }
    }

    private static func readRows(from reader: inout JSONReader) throws(JSONTypeError) -> [Int] {
        try readSet(from: &reader, "row") { reader throws(JSONTypeError) in
            try reader.readCount()
        }
    }

    private static func readSet<Element: Hashable>(
        from reader: inout JSONReader, _ noun: String,
        _ readElement: (inout JSONReader) throws(JSONTypeError) -> Element
    ) throws(JSONTypeError) -> [Element] {
        var elements: [Element] = []
        var seen: Set<Element> = []
        try reader.beginArray()
        while reader.nextElement() {
            let element = try readElement(&reader)
            guard seen.insert(element).inserted else {
                throw reader.invalid("A \(noun) must not be named twice.")
            }
            elements.append(element)
        }
        guard !elements.isEmpty else { throw reader.invalid("At least one \(noun) must be named.") }
        return elements
    }
}
