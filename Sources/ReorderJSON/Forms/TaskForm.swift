import ReorderEngine

/// A member that is absent, null, or has a value.
package enum Member<Value: Sendable & Equatable>: Sendable, Equatable {
    case absent
    case null
    case value(Value)

    package var value: Value? {
        if case .value(let value) = self { return value }
        return nil
    }
}

/// A task in JSON: in a document, or in the journal.
struct TaskForm {
    var id: String?
    var section = Member<String>.absent
    var parent = Member<String>.absent
    var position: Int?
    private var update = TaskUpdate()
    private var collapsed = false
    /// Only documents and operations have stamps: the server sets them.
    private var stamps = TaskStamps()
    /// Whether authors are read. Clients can send documents, but not choose authors.
    var keepsAuthors = true

    private enum Name: JSONName {
        case id, section, parent, collapsed, createdAt, updatedAt, completedAt
        // What clients can send without an effect.
        case position, row, depth, subtasks, lockedByOffset, createdBy, updatedBy, completedBy
    }

    /// The members of a task that have an effect in a document.
    static let documentMembers: [JSONName] =
        [Name.id.rawValue, TaskUpdate.Name.title.rawValue]
        + [Name.section, .parent, .collapsed].map(\.rawValue)
        + [TaskUpdate.Name.locked, .done, .data].map(\.rawValue)
        + [Name.createdAt, .updatedAt, .completedAt].map(\.rawValue)

    var title: String? { update.title }

    /// Reads the value of a member if it is one of a task's.
    ///
    /// - Returns: false if it is another member. Then nothing was read.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        guard let name = Name(rawValue: name) else { return try update.read(name, from: &reader) }
        switch name {
        case .id: id = try reader.readIdentifier()
        case .section: section = try reader.readMember()
        case .parent: parent = try reader.readMember()
        case .position: position = try reader.readCount()
        case .collapsed: collapsed = try reader.readBool()
        case .createdAt: stamps.createdAt = try reader.readTimeOrNull()
        case .updatedAt: stamps.updatedAt = try reader.readTimeOrNull()
        case .completedAt: stamps.completedAt = try reader.readTimeOrNull()
        case .createdBy: try readAuthor(\.createdBy, from: &reader)
        case .updatedBy: try readAuthor(\.updatedBy, from: &reader)
        case .completedBy: try readAuthor(\.completedBy, from: &reader)
        case .row, .depth, .subtasks, .lockedByOffset: reader.skip()
        }
        return true
    }

    private mutating func readAuthor(
        _ member: WritableKeyPath<TaskStamps, String?>, from reader: inout JSONReader
    ) throws(JSONTypeError) {
        guard keepsAuthors else { return reader.skip() }
        stamps[keyPath: member] = try reader.readStringOrNull()
    }

    /// The task's content. A task that is not done has neither `completedAt` nor `completedBy`.
    func content(id: TaskID, title: String) -> TaskContent {
        var stamps = stamps
        if update.done != true { (stamps.completedAt, stamps.completedBy) = (nil, nil) }
        return TaskContent(
            id: id, title: title, collapsed: collapsed, locked: update.locked ?? false,
            done: update.done ?? false, data: update.data?.data, stamps: stamps)
    }
}

extension JSONReader {
    /// Reads a reference or null, for a member that is present.
    mutating func readMember() throws(JSONTypeError) -> Member<String> {
        try readReferenceOrNull().map { .value($0) } ?? .null
    }

    /// Reads the `data` of a task or section as compact text; null means no data.
    package mutating func readData() throws(JSONTypeError) -> String? {
        if readNull() { return nil }
        let data = readRaw()
        guard data.utf8.count <= FormLimits.dataBytes else {
            throw invalid("The data must have at most \(FormLimits.dataBytes) bytes.")
        }
        guard JSONSyntax.nesting(of: data) <= FormLimits.dataNesting else {
            throw invalid(
                "The data must be nested at most \(FormLimits.dataNesting) levels deep.")
        }
        return data
    }
}

extension FormLimits {
    /// Whether compact text may be the data of a task or section.
    package static func allowsData(_ text: String) -> Bool {
        text.utf8.count <= dataBytes && JSONSyntax.nesting(of: text) <= dataNesting
    }
}

extension JSONSyntax {
    /// The nesting of arrays and objects in a checked text; 0 for a scalar.
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
    /// Writes a task for clients.
    package mutating func task(
        _ task: ListTask, in list: String? = nil, _ fields: TaskFields = .all,
        showsOffsetLock: Bool = true
    ) {
        task.withTexts { self.task($0, in: list, fields, showsOffsetLock: showsOffsetLock) }
    }

    /// Writes a task for clients.
    ///
    /// - Parameters:
    ///   - list: the id of the task's list, if it is to be written.
    ///   - showsOffsetLock: whether to write `lockedByOffset` for a task that `elementsOffset` locks.
    ///     It is omitted in stored documents, because it follows from the list's settings.
    package mutating func task(
        _ task: ListedTask, in list: String? = nil, _ fields: TaskFields = .all,
        showsOffsetLock: Bool
    ) {
        // A task is written in one step, because each separate write checks the capacity and the
        // comma.
        let authors =
            (task.createdBy?.count ?? 0) + (task.updatedBy?.count ?? 0)
            + (task.completedBy?.count ?? 0)
        let texts =
            task.id.count + task.title.count + (task.section?.count ?? 0)
            + (task.parent?.count ?? 0) + (list?.utf8.count ?? 0) + authors
        compose(
            atMost: texts * Self.maximumEscapedBytes + (task.data?.count ?? 0)
                + 4 * Self.maximumDigits + 300 + 3 * Self.timeMemberBytes
        ) { end in end.write(task, in: list, fields, showsOffsetLock: showsOffsetLock) }
    }

    package mutating func tasks(_ tasks: some Sequence<ListTask>) {
        beginArray()
        for task in tasks { self.task(task) }
        endArray()
    }

    package mutating func stringOrNull(_ value: String?) {
        if let value { string(value) } else { null() }
    }
}

extension UnsafeMutablePointer<UInt8> {
    fileprivate mutating func write(
        _ task: ListedTask, in list: String?, _ fields: TaskFields, showsOffsetLock: Bool
    ) {
        let start = self
        // A write through `self` would store the pointer each time.
        var end = self
        defer { self = end }
        if let list, fields.contains(.list) { end.write(#","list":"#, quotedOrNull: list) }
        if fields.contains(.id) { end.write(#","id":"#, quotedOrNull: task.id) }
        if fields.contains(.title) { end.write(#","title":"#, quotedOrNull: task.title) }
        if fields.contains(.section) { end.write(#","section":"#, quotedOrNull: task.section) }
        if fields.contains(.parent) { end.write(#","parent":"#, quotedOrNull: task.parent) }
        if fields.contains(.position) { end.write(#","position":"#, task.position) }
        if fields.contains(.row) {
            end.write(#","row":"#)
            if let row = task.row { end.write(row) } else { end.write("null") }
        }
        if fields.contains(.depth) { end.write(#","depth":"#, task.depth) }
        if fields.contains(.collapsed) { end.write(#","collapsed":"#, task.collapsed) }
        if fields.contains(.locked) { end.write(#","locked":"#, task.locked) }
        if fields.contains(.done) { end.write(#","done":"#, task.done) }
        if showsOffsetLock, task.isLockedByOffset, fields.contains(.lockedByOffset) {
            end.write(#","lockedByOffset":true"#)
        }
        if fields.contains(.subtasks) { end.write(#","subtasks":"#, task.subtasks) }
        if let time = task.createdAt, fields.contains(.createdAt) {
            end.write(#","createdAt":"#, time: time)
        }
        if let time = task.updatedAt, fields.contains(.updatedAt) {
            end.write(#","updatedAt":"#, time: time)
        }
        if let time = task.completedAt, fields.contains(.completedAt) {
            end.write(#","completedAt":"#, time: time)
        }
        if let name = task.createdBy, fields.contains(.createdBy) {
            end.write(#","createdBy":"#, quotedOrNull: name)
        }
        if let name = task.updatedBy, fields.contains(.updatedBy) {
            end.write(#","updatedBy":"#, quotedOrNull: name)
        }
        if let name = task.completedBy, fields.contains(.completedBy) {
            end.write(#","completedBy":"#, quotedOrNull: name)
        }
        if let data = task.data, fields.contains(.data) {
            end.write(#","data":"#)
            end.write(data)
        }
        // Each member begins with a comma.
        if end == start { end += 1 }
        start.pointee = ASCII.openBrace
        end.write(ASCII.closeBrace)
    }

    @inline(__always)
    private mutating func write(_ name: StaticString, quotedOrNull text: ListedTask.Text?) {
        write(name)
        write(quotedOrNull: text)
    }

    private mutating func write(_ name: StaticString, quotedOrNull text: String) {
        write(name)
        write(quotedOrNull: text)
    }

    @inline(__always)
    private mutating func write(_ name: StaticString, _ value: Int) {
        write(name)
        write(value)
    }

    @inline(__always)
    private mutating func write(_ name: StaticString, _ value: Bool) {
        write(name)
        write(value)
    }
}
