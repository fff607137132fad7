import ReorderEngine
import ReorderJSON

/// A list of another program's file, whose tasks refer to each other.
struct SourceList {
    /// The program's id of the list.
    var key: String?
    /// The name of the program, if the list's id begins with it.
    var program: String?
    var title: String
    private(set) var sections: [Section] = []
    private var sectionKeys: Set<String> = []
    /// The keys of the last sections with a title.
    private var titledSections: [String: String] = [:]
    private(set) var tasks: [SourceTask] = []
    /// The index of the parent of each task, if it was known when the task was added.
    private var parents: [Int?] = []
    /// The last task that was added with a level, and its ancestors, outermost first.
    private var path: [(index: Int, level: Int)] = []
    /// The section that was begun last.
    private var current: String?
    var remarks = ImportRemarks()
    var leftOut = LeftOut()

    struct Section {
        var key: String
        var title: String
        var line: Int
        var order = 0.0
    }

    init(key: String? = nil, program: String? = nil, title: String) {
        (self.key, self.program, self.title) = (key, program, title)
    }

    var isEmpty: Bool { sections.isEmpty && tasks.isEmpty }

    /// Adds a task below the one at an index, or below the one with its `parent` as key, and
    /// returns its own index.
    @discardableResult
    mutating func add(_ task: SourceTask, below index: Int? = nil) -> Int {
        tasks.append(task)
        parents.append(index)
        return tasks.count - 1
    }

    /// Adds a task below the last one with a lower level, and returns its index. Levels can have
    /// gaps.
    @discardableResult
    mutating func add(_ task: SourceTask, level: Int) -> Int {
        while let last = path.last, last.level >= level { path.removeLast() }
        var task = task
        task.section = task.section ?? current
        let index = add(task, below: path.last?.index)
        path.append((index, level))
        return index
    }

    /// A key for a section: this one, or another if it is empty or used already.
    mutating func newSectionKey(_ key: String = "") -> String {
        var key = key
        while key.isEmpty || !sectionKeys.insert(key).inserted { key = " \(sectionKeys.count)" }
        return key
    }

    /// - Parameter key: a new one.
    @discardableResult
    mutating func addSection(
        _ title: String, line: Int, key: String? = nil, order: Double = 0
    ) -> String {
        let key = key ?? newSectionKey()
        sections.append(Section(key: key, title: title, line: line, order: order))
        titledSections[title.trimmed] = key
        return key
    }

    /// The section of the tasks that follow.
    mutating func beginSection(_ title: String, line: Int) {
        current = addSection(title, line: line)
        path = []
    }

    /// The tasks that follow have no section.
    mutating func endSection() {
        current = nil
        path = []
    }

    /// Changes the last task, if there is one since the section began.
    mutating func withLastTask(_ body: (inout SourceTask) -> Void) -> Bool {
        guard let index = path.last?.index else { return false }
        body(&tasks[index])
        return true
    }

    /// Adds a line of the file to the last task.
    mutating func addLine(_ line: String, _ number: Int) {
        if !withLastTask({ $0.addNote(line, lines: number...number) }), !line.trimmed.isEmpty {
            leaveOut("text outside tasks", number...number)
        }
    }

    /// The key of the last section with a title, added if there is none.
    mutating func section(titled title: String, line: Int) -> String? {
        title.isEmpty ? nil : titledSections[title] ?? addSection(title, line: line)
    }

    mutating func leaveOut(_ what: String, _ lines: ClosedRange<Int>) {
        remarks.add(.leftOut, what, lines: lines)
    }

    /// The list with each task below its parent, in the order of the sections and siblings; nil if it
    /// is empty.
    ///
    /// A task's id is the program's if that can be an id and is not short: programs with short ids
    /// count the tasks of each file, or of each user.
    func makeList(makeID: @escaping () -> String) throws(ImportError) -> ImportedList? {
        isEmpty ? nil : try makeAnyList(makeID: makeID)
    }

    /// The list, even if it is empty.
    func makeAnyList(makeID: @escaping () -> String) throws(ImportError) -> ImportedList {
        var remarks = remarks
        var leftOut = leftOut
        for task in tasks { leftOut.add(properties: task.leftOut, task.lines) }
        leftOut.report(&remarks)
        let children = children(&remarks)
        var builder = OutlineBuilder(makeID: makeID)
        var keys: Set<String> = []
        let sections = sections.sorted(by: \.order)
        let known = Set(sections.map(\.key))
        func section(of index: Int) -> String? {
            tasks[index].section.flatMap { known.contains($0) ? $0 : nil }
        }
        func add(_ roots: [Int], in key: String?) {
            var rest = roots.reversed().map { (task: $0, depth: 0) }
            while let (index, depth) = rest.popLast() {
                let task = tasks[index]
                let line = task.lines.lowerBound
                if let own = section(of: index), own != key {
                    remarks.add(
                        .changed, "the section of a subtask, to that of its task", lines: task.lines
                    )
                }
                let key = task.key.flatMap { Self.isID($0) && keys.insert($0).inserted ? $0 : nil }
                builder.addTask(
                    remarks.shorten(task.title, line: line),
                    depth: remarks.limit(depth: depth, line: line), done: task.done,
                    collapsed: task.collapsed, data: task.data(&remarks), id: key)
                rest += (children[index] ?? []).reversed().map { ($0, depth + 1) }
            }
        }
        let roots = Dictionary(grouping: children[nil] ?? [], by: section)
        add(roots[nil] ?? [], in: nil)
        for section in sections {
            builder.beginSection(remarks.shorten(section.title, line: section.line))
            add(roots[section.key] ?? [], in: section.key)
        }
        let title = remarks.shorten(title, line: 1)
        return ImportedList(
            id: key, program: program, list: try builder.makeList(title: title),
            remarks: remarks.inLineOrder)
    }

    static let minimumIDBytes = 16

    private static func isID(_ key: String) -> Bool {
        key.utf8.count >= minimumIDBytes && Identifier.isValid(key)
    }

    /// The tasks of each parent, in order. A task without its parent, or below itself, has none.
    private func children(_ remarks: inout ImportRemarks) -> [Int?: [Int]] {
        let indices = Dictionary(
            tasks.indices.compactMap { index in tasks[index].key.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first })
        var parents = parents
        for (index, task) in tasks.enumerated() {
            guard let parent = task.parent else { continue }
            parents[index] = indices[parent]
            if parents[index] == nil {
                remarks.add(.changed, "a subtask without its task", lines: task.lines)
            }
        }
        // The walk that visited a task. Each walk ends where one before it was.
        var walks = [Int?](repeating: nil, count: tasks.count)
        for start in tasks.indices {
            var index = start
            while walks[index] == nil {
                walks[index] = start
                guard let parent = parents[index] else { break }
                if walks[parent] == start {
                    parents[index] = nil
                    remarks.add(.changed, "a task below itself", lines: tasks[index].lines)
                    break
                }
                index = parent
            }
        }
        return Dictionary(grouping: tasks.indices, by: { parents[$0] })
            .mapValues { $0.sorted(by: { tasks[$0].order }) }
    }
}

extension Sequence {
    /// In ascending order; equal elements keep their order.
    func sorted(by key: (Element) -> Double) -> [Element] {
        enumerated().sorted { one, other in
            let (first, second) = (key(one.element), key(other.element))
            return first == second ? one.offset < other.offset : first < second
        }.map(\.element)
    }
}
