import ReorderEngine

/// A list as JSON: the body that `GET /lists/:id` returns and `PUT /lists/:id` accepts, and the
/// content of a snapshot.
package struct ListDocument: Sendable {
    package var id: String?
    package var settings: ListSettings
    package var sections: [(id: SectionID, title: String)]
    /// The data of those sections that have some.
    package var sectionData: [SectionID: String] = [:]
    /// The most tasks of those sections that have a limit of their own.
    package var sectionLimits: [SectionID: Int] = [:]
    package var tasks: [ReorderableList.Entry]
    package var times = ListTimes()

    /// The members that have an effect.
    private static let members: [JSONName] =
        ["id"] + SettingsUpdate.names + ["sections", "tasks", "createdAt", "updatedAt"]

    /// Reads a document written by the server.
    ///
    /// - Parameter ignoresUnknownMembers: for clients, whose server may have a later version.
    package init(json: [UInt8], ignoresUnknownMembers: Bool = false) throws {
        let text = try JSONText(checking: json, maximumDepth: FormLimits.storedNesting)
        var reader = JSONReader(text)
        reader.ignoresUnknownMembers = ignoresUnknownMembers
        try self.init(from: &reader, keepsAuthors: true, makeID: { "" })
    }

    /// Reads a document.
    ///
    /// Derived members (`version`, `epoch`, `count`, `rows`, a task's `position`, …) are allowed
    /// and ignored.
    ///
    /// - Parameters:
    ///   - keepsAuthors: whether the document's authors count. Otherwise they are ignored, because a
    ///     client could write any name.
    ///   - makeID: creates the ids of sections and tasks without one.
    package init(
        from reader: inout JSONReader, keepsAuthors: Bool = false, makeID: () -> String
    ) throws(JSONTypeError) {
        settings = ListSettings(title: "")
        sections = []
        tasks = []
        var update = SettingsUpdate()
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": id = try reader.readIdentifier()
            case "sections":
                try reader.beginArray()
                while reader.nextElement() { try readSection(from: &reader, makeID: makeID) }
            case "tasks":
                try reader.beginArray()
                while reader.nextElement() {
                    tasks.append(
                        try Self.readTask(
                            from: &reader, keepsAuthors: keepsAuthors, makeID: makeID))
                }
            case "createdAt": times.createdAt = try reader.readTimeOrNull()
            case "updatedAt": times.updatedAt = try reader.readTimeOrNull()
            case "version", "epoch", "count", "rows": reader.skip()
            default:
                if !(try update.read(name, from: &reader)) {
                    try reader.passUnknownMember(allowed: Self.members)
                }
            }
        }
        guard update.title != nil else { throw reader.missingMember("title") }
        settings.set(update)
    }

    private mutating func readSection(
        from reader: inout JSONReader, makeID: () -> String
    ) throws(JSONTypeError) {
        var id: String?
        var update = SectionUpdate()
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": id = try reader.readIdentifier()
            case "tasks": reader.skip()
            default:
                if !(try update.read(name, from: &reader)) {
                    try reader.passUnknownMember(allowed: ["id"] + SectionUpdate.names)
                }
            }
        }
        guard let title = update.title else { throw reader.missingMember("title") }
        let section = id ?? makeID()
        sections.append((section, title))
        sectionData[section] = update.data?.data
        sectionLimits[section] = update.maxTasks?.limit
    }

    /// Reads a task of a document.
    static func readTask(
        from reader: inout JSONReader, keepsAuthors: Bool = false, makeID: () -> String
    ) throws(JSONTypeError) -> ReorderableList.Entry {
        var form = TaskForm()
        form.keepsAuthors = keepsAuthors
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            // The order of the tasks decides.
            case "position": reader.skip()
            default:
                if !(try form.read(name, from: &reader)) {
                    try reader.passUnknownMember(allowed: TaskForm.documentMembers)
                }
            }
        }
        guard let title = form.title else { throw reader.missingMember("title") }
        return ReorderableList.Entry(
            content: form.content(id: form.id ?? makeID(), title: title),
            section: form.section.value, parent: form.parent.value)
    }

    /// The list described by the document.
    package func makeList() throws(ReorderableList.DocumentError) -> ReorderableList {
        var list = try ReorderableList(
            settings: settings, sections: sections, tasks: tasks, sectionData: sectionData,
            sectionLimits: sectionLimits)
        list.times = times
        return list
    }

    /// The part of a list's tasks that a document contains. The document's other members are
    /// complete.
    package struct Window: Sendable, Hashable {
        /// Whether hidden tasks are excluded.
        package var isVisibleOnly: Bool
        /// The number of tasks to skip.
        package var offset: Int
        /// The maximum number of tasks; nil means all.
        package var limit: Int?

        package init(isVisibleOnly: Bool = false, offset: Int = 0, limit: Int? = nil) {
            self.isVisibleOnly = isVisibleOnly
            self.offset = offset
            self.limit = limit
        }

        /// The number of sections and tasks that the writer visits: those that it writes, and the
        /// tasks that it skips one by one.
        package func entryCount(of list: ReorderableList) -> Int {
            let shown = list.sectionCount + min(list.count, limit ?? .max)
            return isVisibleOnly ? shown : shown + min(list.count, offset)
        }
    }

    /// The document of a list at a version.
    ///
    /// - Parameters:
    ///   - epoch: the store's epoch; nil omits it, as in snapshots and exports.
    ///   - showsOffsetLock: as in `JSONWriter.task`.
    ///
    /// O(tasks written), and the cost of finding the first task: O(log n) if hidden tasks are
    /// excluded, otherwise O(`offset`).
    package static func json(
        id: String, version: Int, epoch: String? = nil, of list: ReorderableList,
        _ window: Window = Window(), showsOffsetLock: Bool = false
    ) -> [UInt8] {
        let limit = window.limit ?? .max
        var writer = JSONWriter()
        // A large text that grows is copied, and takes twice the memory. What is reserved and not written takes none.
        let taskBytes =
            list.count > 1_000 ? max(320, list.memoryBytes / list.count + 192) : 320
        writer.reserve(320 + min(list.count, limit) * taskBytes)
        writer.beginObject()
        writer.listHead(id: id, version: version, epoch: epoch, of: list)
        writer.name("tasks")
        writer.beginArray()
        list.listTasks(from: window.offset, limit: limit, isVisibleOnly: window.isVisibleOnly) {
            writer.task($0, showsOffsetLock: showsOffsetLock)
        }
        writer.endArray()
        writer.endObject()
        return writer.takeBytes()
    }
}

extension JSONWriter {
    /// Writes all members of a list document except its tasks.
    package mutating func listHead(
        id: String, version: Int, epoch: String?, of list: ReorderableList
    ) {
        name("id")
        string(id)
        name("title")
        string(list.settings.title)
        name("version")
        int(version)
        if let epoch {
            name("epoch")
            string(epoch)
        }
        name("elementsOffset")
        int(list.settings.elementsOffset)
        name("collapseSubElements")
        bool(list.settings.collapseSubElements)
        name("moves")
        string(list.settings.moves.rawValue)
        limit("maxDepth", list.settings.maxDepth)
        limit("maxTasksPerSection", list.settings.maxTasksPerSection)
        limit("tasksPerParent", list.settings.tasksPerParent)
        if let data = list.settings.data {
            name("data")
            raw(data.utf8)
        }
        if let createdAt = list.times.createdAt {
            name("createdAt")
            time(milliseconds: createdAt)
        }
        if let updatedAt = list.times.updatedAt {
            name("updatedAt")
            time(milliseconds: updatedAt)
        }
        name("sections")
        beginArray()
        for section in list.sections {
            self.section(section)
        }
        endArray()
        name("count")
        int(list.count)
        name("rows")
        int(list.rowCount)
    }

    /// Writes a section for clients.
    package mutating func section(_ section: ListSection) {
        beginObject()
        name("id")
        string(section.id)
        name("title")
        string(section.title)
        name("tasks")
        int(section.tasks)
        if let data = section.data {
            name("data")
            raw(data.utf8)
        }
        limit("maxTasks", section.maxTasks)
        endObject()
    }
}

extension ReorderableList {
    /// The number of sections and tasks.
    package var entryCount: Int { sectionCount + count }
}
