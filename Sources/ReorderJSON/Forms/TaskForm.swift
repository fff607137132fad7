import ReorderEngine

/// A member that may be left out, and may be null.
package enum Member<Value: Sendable & Equatable>: Sendable, Equatable {
    case absent
    case null
    case value(Value)

    package var value: Value? {
        if case .value(let value) = self { return value }
        return nil
    }
}

/// A task as JSON gives it, whether in a document, in a request that makes one, or in a journal.
package struct TaskForm: Sendable {
    package var id: String?
    package var title: String?
    package var section = Member<String>.absent
    package var parent = Member<String>.absent
    package var position: Int?
    package var collapsed = false
    package var locked = false
    package var done = false
    package var data: String?

    package init() {}

    /// Reads the value of a member, where it is one of a task's that counts on input.
    ///
    /// - Returns: `false` where it is not; then nothing was read.
    package mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        case "id": id = try reader.readIdentifier()
        case "title": title = try reader.readTitle()
        case "section": section = try reader.readMember()
        case "parent": parent = try reader.readMember()
        case "position": position = try reader.readCount()
        case "collapsed": collapsed = try reader.readBool()
        case "locked": locked = try reader.readBool()
        case "done": done = try reader.readBool()
        case "data": data = try reader.readData()
        default: return false
        }
        return true
    }

    /// The content of the task, with an id of its own.
    package func content(id: TaskID, title: String) -> TaskContent {
        TaskContent(
            id: id, title: title, collapsed: collapsed, locked: locked, done: done, data: data)
    }
}

extension JSONReader {
    /// Reads a string or null of a member that was not left out.
    mutating func readMember() throws(JSONTypeError) -> Member<String> {
        try readStringOrNull().map { .value($0) } ?? .null
    }

    /// Reads a task's `data` as compact text; null means none.
    package mutating func readData() throws(JSONTypeError) -> String? {
        if readNull() { return nil }
        let data = readRaw()
        guard data.utf8.count <= FormLimits.dataBytes else {
            throw invalid("A task's data has at most \(FormLimits.dataBytes) bytes.")
        }
        guard JSONSyntax.nesting(of: data) <= FormLimits.dataNesting else {
            throw invalid("A task's data is nested at most \(FormLimits.dataNesting) deep.")
        }
        return data
    }
}

extension FormLimits {
    /// Whether compact text may be a task's data.
    package static func allowsData(_ text: String) -> Bool {
        text.utf8.count <= dataBytes && JSONSyntax.nesting(of: text) <= dataNesting
    }
}

extension JSONSyntax {
    /// How deep the arrays and objects of a checked text are nested; 0 for a scalar.
    static func nesting(of text: String) -> Int {
        var depth = 0
        var deepest = 0
        var isString = false
        var isEscape = false
        for byte in text.utf8 {
            if isString {
                if isEscape {
                    isEscape = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscape = true
                } else if byte == UInt8(ascii: "\"") {
                    isString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return deepest
    }
}

extension JSONWriter {
    /// A task as clients see it.
    package mutating func task(_ task: ListTask) {
        beginObject()
        name("id")
        string(task.id)
        name("title")
        string(task.content.title)
        name("section")
        stringOrNull(task.placement.section)
        name("parent")
        stringOrNull(task.placement.parent)
        name("position")
        int(task.placement.position)
        name("row")
        intOrNull(task.placement.row)
        name("depth")
        int(task.depth)
        name("collapsed")
        bool(task.content.collapsed)
        name("locked")
        bool(task.content.locked)
        name("done")
        bool(task.content.done)
        name("subtasks")
        int(task.subtasks)
        if let data = task.content.data {
            name("data")
            raw(data.utf8)
        }
        endObject()
    }

    package mutating func tasks(_ tasks: some Sequence<ListTask>) {
        beginArray()
        for task in tasks { self.task(task) }
        endArray()
    }

    package mutating func stringOrNull(_ value: String?) {
        if let value { string(value) } else { null() }
    }

    package mutating func intOrNull(_ value: Int?) {
        if let value { int(value) } else { null() }
    }
}
