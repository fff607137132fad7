/// Reads the lists of another program's JSON by the program's paths.
///
/// Members without a meaning here are named in one remark for all tasks of a list.
struct JSONProgramReader {
    private let program: JSONProgram
    private var list: SourceList
    private var hiddenSections: Set<String> = []
    /// What other objects of the list say about tasks, by the tasks' ids. The first counts.
    private var places: [TableRole: [String: String]] = [:]
    /// The indices of the tasks by their ids.
    private var indices: [String: Int] = [:]

    /// - Parameter name: the program's name, with which the lists' ids begin.
    static func read(
        _ bytes: [UInt8], _ program: JSONProgram, name: String, untitled: String,
        makeID: @escaping () -> String
    ) throws(ImportError) -> [ImportedList] {
        let root = try JSONTree(bytes)
        // Tasks have a state.
        func isList(_ value: JSONTree) -> Bool {
            value.text(program.task[.done] ?? "").isEmpty
                && (!value.text(program.list[.title] ?? "").isEmpty
                    || [program.sections, program.tasks].contains(where: value.isTrue(all:)))
        }
        for path in program.lists {
            var outer = ImportRemarks()
            let found = root.elements.flatMap { value -> [JSONTree] in
                guard !path.isEmpty else { return [value] }
                let others = value.memberNames.filter { $0 != path }.sorted()
                if !others.isEmpty {
                    let what = "\(others.joined(separator: ", ")) around lists"
                    outer.add(.leftOut, what, lines: value.lines)
                }
                return value.values(path)
            }
            let values = found.flatMap { $0.isByNumber ? $0.children : [$0] }
            let lists = values.filter(isList)
            guard !lists.isEmpty else { continue }
            for value in values where !isList(value) && !value.isEmpty {
                outer.add(.leftOut, "what is not a list", lines: value.lines)
            }
            var made: [ImportedList] = []
            var counts: [String: Int] = [:]
            for value in lists {
                var reader = JSONProgramReader(program, name, value, untitled: untitled)
                reader.readList(value)
                if let key = reader.list.key {
                    counts[key, default: 0] += 1
                    if let count = counts[key], count > 1 { reader.list.key = "\(key)-\(count)" }
                }
                made.append(try reader.list.makeAnyList(makeID: makeID))
            }
            made[0].remarks = outer.inLineOrder + made[0].remarks
            return made
        }
        return []
    }

    private init(_ program: JSONProgram, _ name: String, _ value: JSONTree, untitled: String) {
        self.program = program
        let title = value.text(program.list[.title] ?? "")
        // Short ids count the lists of a user or server.
        let id = value.text(program.list[.id] ?? "")
        list = SourceList(
            key: id.utf8.count >= SourceList.minimumIDBytes ? id : title.isEmpty ? nil : title,
            program: name, title: title.isEmpty ? untitled : title)
    }

    private mutating func readList(_ value: JSONTree) {
        if value.isTrue(all: program.hidden) {
            list.remarks.add(.changed, "an archived list, to one that is not", lines: value.lines)
        }
        for place in objects(program.places.joined(separator: " "), of: value) {
            let id = place.text("task_id")
            for role in [TableRole.section, .order] {
                let text = place.text(program.task[role] ?? "")
                if places[role]?[id] == nil, !text.isEmpty { places[role, default: [:]][id] = text }
            }
        }
        for section in objects(program.sections, of: value) { readSections(section) }
        if !program.isTaskInSection {
            for task in objects(program.tasks, of: value) { read(task, in: nil) }
        }
        if let groups = program.groups {
            for group in objects(groups.path, of: value).sorted(by: \.position) { readGroup(group) }
        }
        leaveOut(
            value,
            except: [program.sections, program.tasks, program.groups?.path ?? "", program.hidden]
                + program.places + program.list.values, "the list")
    }

    private mutating func leaveOut(_ value: JSONTree, except used: [String], _ what: String) {
        let used = Self.members(used)
        let others = value.memberNames.filter { !used.contains($0) }.sorted()
        guard !others.isEmpty else { return }
        list.leftOut.add(object: "\(others.joined(separator: ", ")) of \(what)", value.lines)
    }

    /// The objects at paths, or all children. Other values are reported: they are no sections or
    /// tasks.
    private mutating func objects(_ paths: String, of value: JSONTree) -> [JSONTree] {
        let elements = paths == "*" ? value.children : value.values(all: paths)
        for element in elements where !element.isObject && !element.isEmpty {
            list.leftOut.add(object: "a value that is not an object", value.lines)
        }
        return elements.filter(\.isObject)
    }

    /// Reads a section, or an object of sections by their ids.
    private mutating func readSections(_ value: JSONTree) {
        guard !value.isByNumber else {
            for section in objects("*", of: value) { readSections(section) }
            return
        }
        let key = list.newSectionKey(value.text(program.section[.id] ?? ""))
        let title = value.text(program.section[.title] ?? "")
        if value.isTrue(all: program.hidden) {
            list.leftOut.add(object: "the archived section \"\(title.prefix(64))\"", value.lines)
            hiddenSections.insert(key)
        } else {
            let order = Double(value.text(program.section[.order] ?? "")) ?? 0
            list.addSection(title, line: value.lines.lowerBound, key: key, order: order)
        }
        leaveOut(
            value, except: [program.tasks, program.hidden] + program.section.values, "a section")
        if program.isTaskInSection {
            for task in objects(program.tasks, of: value) { read(task, in: key) }
        }
    }

    private mutating func read(_ value: JSONTree, in section: String?) {
        var task = task(value, program.task)
        let id = task.key ?? ""
        task.section = section ?? places[.section]?[id] ?? value.text(program.task[.section] ?? "")
        guard !value.isTrue(all: program.hidden) else {
            return list.leftOut.add(object: "an archived task", value.lines)
        }
        guard !hiddenSections.contains(task.section ?? "") else {
            return list.leftOut.add(object: "a task of an archived section", value.lines)
        }
        task.order = places[.order]?[id].flatMap(Double.init) ?? task.order
        let index = list.add(task)
        if indices[id] == nil { indices[id] = index }
        for item in objects(program.items, of: value) {
            list.add(self.task(item, program.item), below: index)
        }
    }

    /// Reads subtasks that are outside their task.
    private mutating func readGroup(_ value: JSONTree) {
        guard let groups = program.groups, let index = indices[value.text(groups.task)] else {
            return list.leftOut.add(object: "subtasks of tasks that are left out", value.lines)
        }
        list.leftOut.add(
            object: "the title \"\(value.text("name").prefix(64))\" of a checklist", value.lines)
        leaveOut(value, except: [groups.task, groups.items, "name pos"], "a checklist")
        for item in objects(groups.items, of: value).sorted(by: \.position) {
            var item = task(item, program.item)
            item.order = Double(list.tasks.count)
            list.add(item, below: index)
        }
    }

    private func task(_ value: JSONTree, _ paths: [TableRole: String]) -> SourceTask {
        var task = SourceTask(line: value.lines.lowerBound)
        task.lines = value.lines
        var used = program.hidden.words + [program.items + ".*"]
        for role in TableRole.allCases {
            for path in (paths[role] ?? "").words {
                used.append(path)
                let values = value.values(path)
                switch role {
                case .section: continue
                case .labels:
                    used += values.compactMap(\.labelMember).map { "\(path).\($0)" }
                    values.compactMap(\.label).forEach { task.addLabel($0) }
                default:
                    for text in value.texts(path) {
                        task.set(role, text, name: path, words: program.words)
                    }
                }
            }
        }
        task.due = due(task.due)
        task.leftOut += value.unread(by: used)
        return task
    }

    private func due(_ due: String) -> String {
        switch program.due {
        case .timeOrDay where due.hasSuffix("T00:00:00Z"): String(due.prefix(10))
        case .day: DueDate.day(ofMidnight: due) ?? String(due.prefix(10))
        default: due
        }
    }

    /// The first members of paths.
    private static func members(_ paths: [String]) -> Set<String> {
        Set(paths.flatMap { $0.split(separator: " ") }.map { String($0.prefix { $0 != "." }) })
    }
}

extension JSONTree {
    /// The values at paths with spaces between them.
    fileprivate func values(all paths: String) -> [JSONTree] {
        paths.split(separator: " ").flatMap { values(String($0)) }
    }

    /// Whether it is an object of elements by their ids.
    fileprivate var isByNumber: Bool {
        guard case .object(let members, _) = self, !members.isEmpty else { return false }
        return members.allSatisfy { Int($0.name) != nil }
    }

    fileprivate func isTrue(all paths: String) -> Bool {
        values(all: paths).contains { !$0.isEmpty }
    }

    /// The text, or the name of an object; a color if it has no name.
    fileprivate var label: String? {
        if case .text(let text) = self { return text }
        return labelMember.map(text)
    }

    fileprivate var labelMember: String? {
        ["name", "title", "color"].first { !text($0).isEmpty }
    }

    fileprivate var isObject: Bool {
        if case .object = self { true } else { false }
    }

    fileprivate var position: Double { Double(text("pos")) ?? 0 }

    /// The members that no path reads, and members of members as `a.b`. A path with `*` at its end
    /// reads all of the member before it.
    fileprivate func unread(by paths: [String]) -> [String] {
        guard case .object(let members, _) = self else { return [] }
        return members.flatMap { name, value -> [String] in
            let inside = paths.compactMap { path in
                path == name
                    ? "" : path.hasPrefix(name + ".") ? String(path.dropFirst(name.count + 1)) : nil
            }
            guard !value.isEmpty, !inside.contains("*") else { return [] }
            return value.elements.flatMap { element -> [String] in
                switch element {
                case .text: inside.contains("") || element.isEmpty ? [] : [name]
                case .object where inside.contains { !$0.isEmpty }:
                    element.unread(by: inside).map { "\(name).\($0)" }
                default: element.isEmpty ? [] : [name]
                }
            }
        }
    }
}
