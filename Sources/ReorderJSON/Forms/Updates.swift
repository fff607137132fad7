import ReorderEngine

// What can be changed in a task, in a section and in the settings of a list: in requests, in operations, and as part of documents. Only
// data and limits can be null, because the other members can't be removed.

extension TaskUpdate: JSONMembers {
    package enum Name: JSONName, CaseIterable { case title, done, locked, data }

    package mutating func read(
        _ name: Name, from reader: inout JSONReader
    ) throws(JSONTypeError) {
        switch name {
        case .title: title = try reader.readTitle()
        case .done: done = try reader.readBool()
        case .locked: locked = try reader.readBool()
        case .data: data = DataUpdate(try reader.readData())
        }
    }

    package func write(_ name: Name, to writer: inout JSONWriter) {
        switch name {
        case .title: writer.member(name.rawValue, title)
        case .done: writer.member(name.rawValue, done)
        case .locked: writer.member(name.rawValue, locked)
        case .data: writer.data(data)
        }
    }
}

extension SettingsUpdate: JSONMembers {
    package enum Name: JSONName, CaseIterable {
        case title, elementsOffset, collapseSubElements, moves, maxDepth, maxTasksPerSection,
            tasksPerParent, data
    }

    package mutating func read(
        _ name: Name, from reader: inout JSONReader
    ) throws(JSONTypeError) {
        switch name {
        case .title: title = try reader.readTitle()
        case .elementsOffset: elementsOffset = try reader.readCount()
        case .collapseSubElements: collapseSubElements = try reader.readBool()
        case .moves: moves = try reader.readCase(of: MovePolicy.self)
        case .maxDepth:
            maxDepth = LimitUpdate(try reader.readLimit(atMost: ReorderableList.maximumLevels))
        case .maxTasksPerSection: maxTasksPerSection = LimitUpdate(try reader.readLimit())
        case .tasksPerParent: tasksPerParent = LimitUpdate(try reader.readLimit())
        case .data: data = DataUpdate(try reader.readData())
        }
    }

    package func write(_ name: Name, to writer: inout JSONWriter) {
        switch name {
        case .title: writer.member(name.rawValue, title)
        case .elementsOffset: writer.member(name.rawValue, elementsOffset)
        case .collapseSubElements: writer.member(name.rawValue, collapseSubElements)
        case .moves: writer.member(name.rawValue, moves?.rawValue)
        case .maxDepth: writer.limit(name.rawValue, maxDepth)
        case .maxTasksPerSection: writer.limit(name.rawValue, maxTasksPerSection)
        case .tasksPerParent: writer.limit(name.rawValue, tasksPerParent)
        case .data: writer.data(data)
        }
    }
}

/// New values for parts of a section; nil keeps the current value.
package struct SectionUpdate: Sendable, Equatable, JSONMembers {
    package var title: String?
    package var data: DataUpdate?
    package var maxTasks: LimitUpdate?

    package init(title: String? = nil, data: DataUpdate? = nil, maxTasks: LimitUpdate? = nil) {
        self.title = title
        self.data = data
        self.maxTasks = maxTasks
    }

    package enum Name: JSONName, CaseIterable { case title, data, maxTasks }

    package mutating func read(
        _ name: Name, from reader: inout JSONReader
    ) throws(JSONTypeError) {
        switch name {
        case .title: title = try reader.readTitle()
        case .data: data = DataUpdate(try reader.readData())
        case .maxTasks: maxTasks = LimitUpdate(try reader.readLimit())
        }
    }

    package func write(_ name: Name, to writer: inout JSONWriter) {
        switch name {
        case .title: writer.member(name.rawValue, title)
        case .data: writer.data(data)
        case .maxTasks: writer.limit(name.rawValue, maxTasks)
        }
    }
}
