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
                    || !value.values(all: program.tasks).isEmpty)
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
        for place in program.places.flatMap({ value.values($0) }) {
            let id = place.text("task_id")
            for role in [TableRole.section, .order] {
                let text = place.text(program.task[role] ?? "")
                if places[role]?[id] == nil, !text.isEmpty { places[role, default: [:]][id] = text }
            }
        }
        value.values(program.sections).forEach { readSections($0) }
        if !program.isTaskInSection {
            value.values(all: program.tasks).forEach { read($0, in: nil) }
        }
        if let groups = program.groups {
            for group in value.values(groups.path).sorted(by: { Double($0.text("pos")) ?? 0 }) {
                readGroup(group)
            }
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

    /// Reads a section, or an object of sections by their ids.
    private mutating func readSections(_ value: JSONTree) {
        guard !value.isByNumber else { return value.children.forEach { readSections($0) } }
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
            value.values(all: program.tasks).forEach { read($0, in: key) }
        }
    }

    private mutating func read(_ value: JSONTree, in section: String?) {
        var task = task(value, program.task, alsoUsed: [program.items])
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
        for item in value.values(program.items) {
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
        for item in value.values(groups.items).sorted(by: { Double($0.text("pos")) ?? 0 }) {
            var item = task(item, program.item)
            item.order = Double(list.tasks.count)
            list.add(item, below: index)
        }
    }

    private func task(
        _ value: JSONTree, _ paths: [TableRole: String], alsoUsed: [String] = []
    ) -> SourceTask {
        var task = SourceTask(line: value.lines.lowerBound)
        task.lines = value.lines
        for role in TableRole.allCases where role != .section {
            for path in (paths[role] ?? "").split(separator: " ").map(String.init) {
                let values = value.values(path)
                let texts = role == .labels ? values.compactMap(\.label) : value.texts(path)
                for text in texts where role == .labels { task.addLabel(text) }
                for text in texts where role != .labels {
                    task.set(role, text, name: path, words: program.words)
                }
                // A value of another form than this program's.
                let member = String(path.prefix { $0 != "." })
                if texts.isEmpty, value.isTrue(member) { task.leftOut.append(member) }
            }
        }
        if program.dueIsDay { task.due = String(task.due.prefix(10)) }
        let used = Self.members(Array(paths.values) + alsoUsed + [program.hidden])
        task.leftOut += value.memberNames.filter { !used.contains($0) }
        return task
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
        return ["name", "title", "color"].lazy.map(text).first { !$0.isEmpty }
    }
}
