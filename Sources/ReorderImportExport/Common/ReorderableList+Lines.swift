import ReorderEngine

extension ReorderableList {
    /// A line of the list's content, from top to bottom.
    enum Line {
        case section(ListSection)
        case task(ListTask)
    }

    /// Visits the tasks without a section, then each section with its tasks. O(tasks).
    func forEachLine(_ body: (Line) -> Void) {
        var rest = sections[...]
        var current: SectionID?
        for task in tasks {
            while task.placement.section != current, let next = rest.popFirst() {
                body(.section(next))
                current = next.id
            }
            body(.task(task))
        }
        for section in rest { body(.section(section)) }
    }

    /// Whether two lists have the same title, sections and tasks, with what programs share of their
    /// `data`, without ids and times. O(tasks).
    package func hasSameContent(as other: ReorderableList, withSections: Bool) -> Bool {
        func contents(_ list: ReorderableList) -> [[String?]] {
            var lines: [[String?]] = [[list.settings.title]]
            list.forEachLine { line in
                switch line {
                case .section(let section):
                    if withSections { lines.append([section.title]) }
                case .task(let task):
                    var remarks = ImportRemarks()
                    let content = SourceTask(task.content)
                    lines.append([
                        content.title, "\(task.depth)", "\(content.done)", content.data(&remarks),
                    ])
                }
            }
            return lines
        }
        return contents(self) == contents(other)
    }

    /// Replaces these ids by those of another list at the same places, if it has as many sections
    /// and tasks. O(tasks).
    package mutating func take(idsOf other: ReorderableList, insteadOf ids: Set<String>) {
        guard !ids.isEmpty, sectionCount == other.sectionCount, count == other.count else { return }
        let (own, others) = (sections.map(\.id) + taskIDs, other.sections.map(\.id) + other.taskIDs)
        let names = Dictionary(zip(own, others).filter { ids.contains($0.0) }) { first, _ in first }
        func name(_ id: String) -> String { names[id] ?? id }
        let tasks = tasks.map { task in
            var content = task.content
            content.id = name(content.id)
            return Entry(
                content: content, section: task.placement.section.map(name),
                parent: task.placement.parent.map(name))
        }
        var (data, limits): ([SectionID: String], [SectionID: Int]) = ([:], [:])
        for section in sections {
            data[name(section.id)] = section.data
            limits[name(section.id)] = section.maxTasks
        }
        guard
            var list = try? ReorderableList(
                settings: settings, sections: sections.map { (name($0.id), $0.title) },
                tasks: tasks, sectionData: data, sectionLimits: limits)
        else { return }
        list.times = times
        self = list
    }
}
