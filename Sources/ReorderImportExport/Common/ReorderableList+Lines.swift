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
}
