import ReorderEngine

extension ReorderableList {
    /// A list's content, as a person reads it from top to bottom.
    enum Line {
        case section(ListSection)
        case task(ListTask)
    }

    /// Goes through the tasks without a section, then through each section and its tasks. O(tasks).
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
