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
}
