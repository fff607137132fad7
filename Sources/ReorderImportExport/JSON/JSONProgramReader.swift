/// Reads the lists of another program's JSON by the program's paths.
///
/// Members without a meaning here are named in one remark for all tasks of a list.
struct JSONProgramReader {
    private let program: JSONProgram
    private var list: SourceList
    /// Members without a meaning.
    private var unused = LeftOutNames()
    private var hiddenSections: Set<String> = []
    /// What the program hides, by its kind.
    private var hidden: [String: (count: Int, lines: ClosedRange<Int>)] = [:]
    /// The sections and orders that are outside the tasks, by the tasks' ids. The first counts.
    private var places: (sections: [String: String], orders: [String: Double]) = ([:], [:])
    /// The indices of the tasks by their ids.
    private var indices: [String: Int] = [:]

    static func read(
        _ bytes: [UInt8], _ program: JSONProgram, untitled: String,
        makeID: @escaping () -> String
    ) throws(ImportError) -> [ImportedList] {
        let root = try JSONTree(bytes)
        var made: [ImportedList] = []
        for path in program.lists {
            let found = path.isEmpty ? [root] : root.values(path)
            let lists = found.flatMap { value -> [JSONTree] in
                // An object by ids.
                guard value.text(program.list.title).isEmpty, program.lists.count > 1 else {
                    return value.elements
                }
                return value.elements.flatMap(\.children)
            }
            for value in lists where !value.memberNames.isEmpty {
                var reader = JSONProgramReader(program, value, untitled: untitled)
                reader.readList(value)
                made.append(try reader.list.makeAnyList(makeID: makeID))
            }
            guard !made.isEmpty else { continue }
            let others = root.memberNames.filter { $0 != path }
            if !path.isEmpty, !others.isEmpty {
                let what = "\(others.sorted().joined(separator: ", ")) of the file"
                made[0].remarks.insert(ImportRemark(.leftOut, what, lines: root.lines), at: 0)
            }
            break
        }
        return made
    }

    /// The values that other objects of the list give to tasks, by the tasks' ids. The first counts.
    private var orders: [String: String] = [:]
    private var sections: [String: String] = [:]

    private init(_ program: JSONProgram, _ value: JSONTree, untitled: String) {
        self.program = program
        let title = value.text(program.list.title)
        // Short ids count the lists of a user or server.
        let id = value.text(program.list.id)
        list = SourceList(
            key: id.utf8.count >= SourceList.minimumIDBytes ? id : title.isEmpty ? nil : title,
            title: title.isEmpty ? untitled : title)
    }

    private mutating func readList(_ value: JSONTree) {
        if value.isTrue(program.list.hidden) {
            list.remarks.add(.changed, "an archived list, to one that is not", lines: value.lines)
        }
        for place in program.places.flatMap(value.values) {
            let id = place.text("task_id")
            if let section = place.texts(program.taskSection).first, places.sections[id] == nil {
                places.sections[id] = section
            }
            if let order = Double(place.text(program.task.order)), places.orders[id] == nil {
                places.orders[id] = order
            }
        }
        if !program.sections.isEmpty { value.values(program.sections).forEach { readSections($0) } }
        if !program.isTaskInSection { value.values(program.tasks).forEach { read($0, in: nil) } }
        if !program.itemParent.isEmpty { readItems(of: value) }
        let used = Set(
            ([program.sections, program.tasks, program.items] + program.places)
                .map { String($0.prefix { $0 != "." }) }
        ).union(program.list.used)
        let others = value.memberNames.filter { !used.contains($0) }.sorted()
        if !others.isEmpty {
            list.leaveOut("\(others.joined(separator: ", ")) of the list", value.lines)
        }
        unused.report("of tasks", &list.remarks)
        for (what, (count, lines)) in hidden.sorted(by: { $0.key < $1.key }) {
            list.leaveOut("\(count) \(what)", lines)
        }
    }

    /// Reads a section, or an object of sections by their ids.
    private mutating func readSections(_ value: JSONTree) {
        let names = program.section
        let isSection = !value.text(names.title).isEmpty || !value.text(names.id).isEmpty
        guard isSection else {
            guard case .object = value else { return list.leaveOut("a section", value.lines) }
            return value.children.forEach { readSections($0) }
        }
        let id = value.text(names.id)
        let isHidden = hide(value, names, "archived sections")
        if !isHidden {
            list.sections.append(
                SourceList.Section(
                    key: id, title: value.text(names.title), line: value.lines.lowerBound,
                    order: Double(value.text(names.order)) ?? 0))
        }
        if isHidden { hiddenSections.insert(id) }
        if program.isTaskInSection { value.values(program.tasks).forEach { read($0, in: id) } }
    }

    private mutating func read(_ value: JSONTree, in section: String?) {
        let names = program.task
        guard !hide(value, names, "archived tasks") else { return }
        let id = value.text(names.id)
        let section = section ?? places.sections[id] ?? value.text(program.taskSection)
        guard !hiddenSections.contains(section) else {
            return count("tasks of archived sections", value.lines)
        }
        var task = task(value, names)
        task.section = section
        task.order = places.orders[id] ?? task.order
        let index = list.add(task)
        if indices[id] == nil { indices[id] = index }
        var used = names.used.union([program.taskSection])
        if program.itemParent.isEmpty, !program.items.isEmpty {
            used.insert(program.items)
            for item in value.values(program.items) { readItem(item, below: index) }
        }
        leaveOut(value, except: used)
    }

    /// Reads the subtasks that are outside their tasks.
    private mutating func readItems(of value: JSONTree) {
        let path = program.items.split(separator: ".").map(String.init)
        guard let outer = path.first, let inner = path.last else { return }
        for group in value.values(outer).sorted(by: { Double($0.text("pos")) ?? 0 }) {
            let items = group.values(inner).sorted { Double($0.text(program.item.order)) ?? 0 }
            guard let index = indices[group.text(program.itemParent)] else {
                items.forEach { count("subtasks of tasks that are left out", $0.lines) }
                continue
            }
            let name = group.text(program.item.title)
            list.leaveOut("the title \"\(name.prefix(64))\" of a checklist", group.lines)
            items.forEach { readItem($0, below: index) }
        }
    }

    private mutating func readItem(_ value: JSONTree, below index: Int) {
        var item = task(value, program.item)
        item.order = Double(list.tasks.count)
        list.add(item, below: index)
        leaveOut(value, except: program.item.used)
    }

    private mutating func task(_ value: JSONTree, _ names: JSONProgram.Names) -> SourceTask {
        var task = SourceTask(value.text(names.title), line: value.lines.lowerBound)
        // Values of another form than this program's.
        for path in names.texts where value.texts(path).isEmpty {
            let member = String(path.prefix { $0 != "." })
            if value.memberNames.contains(member), value.isTrue(member) {
                unused.add(member, value.lines)
            }
        }
        task.lines = value.lines
        func text(_ path: String) -> String { path.isEmpty ? "" : value.text(path) }
        task.key = text(names.id).isEmpty ? nil : text(names.id)
        task.parent = text(names.parent).isEmpty ? nil : text(names.parent)
        task.order = Double(text(names.order)) ?? 0
        task.notes = text(names.notes)
        task.labels = names.labels.isEmpty ? [] : value.values(names.labels).compactMap(\.label)
        task.url = text(names.url)
        let priority = text(names.priority)
        task.priority = program.priorities[priority]
        if task.priority == nil, TableWords.priority(priority) == nil {
            list.leaveOut("the priority \"\(priority.prefix(64))\"", value.lines)
        }
        setDone(text(names.done), names, of: &task)
        let due = text(names.due)
        // What Go writes for no time.
        if !due.isEmpty, !due.hasPrefix("0001-01-01") {
            task.due = DueDate.parse(due) ?? ""
            if task.due.isEmpty { list.leaveOut("the date \"\(due.prefix(64))\"", value.lines) }
            if program.dueIsDay { task.due = String(task.due.prefix(10)) }
        }
        return task
    }

    private mutating func setDone(
        _ text: String, _ names: JSONProgram.Names, of task: inout SourceTask
    ) {
        let isDate = DueDate.parse(text) != nil
        let state = text == names.doneValue ? !text.isEmpty : TableWords.done(text)
        task.done = state ?? false
        if isDate || state == nil {
            list.leaveOut(
                isDate ? "the date of completion" : "the state \"\(text.prefix(64))\"", task.lines)
        }
    }

    /// Counts what the program hides; returns whether it does.
    private mutating func hide(
        _ value: JSONTree, _ names: JSONProgram.Names, _ what: String
    ) -> Bool {
        guard !names.hidden.isEmpty, value.isTrue(names.hidden) else { return false }
        count(what, value.lines)
        return true
    }

    private mutating func count(_ what: String, _ lines: ClosedRange<Int>) {
        let old = hidden[what]
        hidden[what] = ((old?.count ?? 0) + 1, lines.joined(with: old?.lines))
    }

    private mutating func leaveOut(_ value: JSONTree, except used: Set<String>) {
        for name in value.memberNames where !used.contains(name) { unused.add(name, value.lines) }
    }
}

extension JSONTree {
    /// The text, or the name of an object; a color if it has no name.
    fileprivate var label: String? {
        if case .text(let text) = self { return text }
        return ["name", "title", "color"].lazy.map(text).first { !$0.isEmpty }
    }
}
