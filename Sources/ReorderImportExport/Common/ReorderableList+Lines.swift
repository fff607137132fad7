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

    /// Whether two lists have the same title, sections and tasks, without ids and times. O(tasks).
    package func hasSameContent(as other: ReorderableList) -> Bool {
        func contents(_ list: ReorderableList) -> [[String?]] {
            var lines: [[String?]] = [[list.settings.title]]
            list.forEachLine { line in
                switch line {
                case .section(let section): lines.append([section.title])
                case .task(let task):
                    lines.append([
                        task.content.title, "\(task.depth)", "\(task.content.done)",
                        task.content.data,
                    ])
                }
            }
            return lines
        }
        return contents(self) == contents(other)
    }
}
