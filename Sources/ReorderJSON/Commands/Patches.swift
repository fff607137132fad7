import ReorderEngine

/// New values for some of a list's settings; nil keeps the current value.
package struct SettingsPatch: Sendable, Equatable {
    /// All settings but the data.
    package var update: SettingsUpdate
    /// A merge patch of the data as JSON text; `null` removes the data.
    package var data: String?

    package init(_ update: SettingsUpdate = SettingsUpdate(), data: String? = nil) {
        self.update = update
        self.data = data
    }
}

/// New values for parts of a section; nil keeps the current value.
package struct SectionPatch: Sendable, Equatable {
    package var title: String?
    /// A merge patch of the data as JSON text; `null` removes the data.
    package var data: String?
    package var maxTasks: LimitUpdate?

    package init(title: String? = nil, data: String? = nil, maxTasks: LimitUpdate? = nil) {
        self.title = title
        self.data = data
        self.maxTasks = maxTasks
    }
}

// In JSON, only data and limits can be null, because the other members can't be removed.

extension TaskPatch {
    static let members: [StaticString] = ["title", "done", "locked", "data"]

    /// Reads the value of a member if it is one of a task's patch.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        case "title": title = try reader.readTitle()
        case "done": done = try reader.readBool()
        case "locked": locked = try reader.readBool()
        case "data": data = try reader.readData() ?? "null"
        default: return false
        }
        return true
    }
}

extension SettingsPatch {
    static let members: [StaticString] = [
        "title", "elementsOffset", "collapseSubElements", "moves", "maxDepth",
        "maxTasksPerSection", "tasksPerParent", "data",
    ]

    /// Reads the value of a member if it is one of a list's patch.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        case "title": update.title = try reader.readTitle()
        case "elementsOffset": update.elementsOffset = try reader.readCount()
        case "collapseSubElements": update.collapseSubElements = try reader.readBool()
        case "moves": update.moves = try reader.readCase(of: MovePolicy.self)
        case "maxDepth": update.maxDepth = LimitUpdate(try reader.readMaxDepth())
        case "maxTasksPerSection": update.maxTasksPerSection = LimitUpdate(try reader.readLimit())
        case "tasksPerParent": update.tasksPerParent = LimitUpdate(try reader.readLimit())
        case "data": data = try reader.readData() ?? "null"
        default: return false
        }
        return true
    }
}

extension SectionPatch {
    static let members: [StaticString] = ["title", "data", "maxTasks"]

    /// Reads the value of a member if it is one of a section's patch.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        case "title": title = try reader.readTitle()
        case "data": data = try reader.readData() ?? "null"
        case "maxTasks": maxTasks = LimitUpdate(try reader.readLimit())
        default: return false
        }
        return true
    }
}
