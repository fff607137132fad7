import ReorderEngine
import ReorderJSON
import ReorderService

/// The body of a batch.
struct BatchBody {
    /// The maximum number of ops in a batch.
    static let maximumOps = 1_000

    private var commands: [Command] = []
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
        var other = OtherListMembers()
        let form = try CommandForm.op(
            from: &reader, further: ["version"]
        ) { name, reader throws(JSONTypeError) in
            switch name {
            case "version": try other.read(name, from: &reader)
            case "toList":
                throw reader.invalid(
                    "A batch changes one list, so a move in it can't have toList.")
            default: false
            }
        }
        let (kind, id) = (form.kind, form.opID)
        let command = try form.command(reader) { makeID() }
        commands.append(command)
        if case .move(let move) = command {
            rowVersions.append(try other.rowVersions(of: move, reader) ?? RowVersions())
        } else {
            rowVersions.append(RowVersions())
        }
        ops.add(kind, id: id)
        keys.append(id.map { OperationKey(id: $0, op: reader.rawText(from: start)) })
        if id != nil { hasKeys = true }
    }
}
