import ReorderEngine
import ReorderJSON

/// Writes a list as iCalendar (RFC 5545): each task is a VTODO. There are no sections.
struct ICSWriter {
    private var bytes: [UInt8] = []

    /// - Parameter id: the list's id. It makes short ids of tasks unique.
    static func write(_ list: ReorderableList, id: String) -> [UInt8] {
        var ics = ICSWriter()
        func uid(_ task: TaskID) -> String {
            task.utf8.count < SourceList.minimumIDBytes ? "\(task)@\(id)" : task
        }
        ics.property("BEGIN", "VCALENDAR")
        ics.property("VERSION", "2.0")
        ics.property("PRODID", "-//reorderd//reorderd//EN")
        ics.property("X-WR-CALNAME", ICSText.escape(list.settings.title))
        var order = 0
        list.forEachLine { line in
            guard case .task(let task) = line else { return }
            order += 1
            let stamps = task.content.stamps
            ics.property("BEGIN", "VTODO")
            ics.property("UID", uid(task.id))
            // It is required, so that an unknown time needs one too.
            ics.property("DTSTAMP", ICSText.time(stamps.updatedAt ?? stamps.createdAt ?? 0))
            ics.properties(of: SourceTask(task.content), completedAt: stamps.completedAt)
            if let parent = task.placement.parent { ics.property("RELATED-TO", uid(parent)) }
            ics.property("X-APPLE-SORT-ORDER", "\(order)")
            ics.property("END", "VTODO")
        }
        ics.property("END", "VCALENDAR")
        return ics.bytes
    }

    private mutating func properties(of task: SourceTask, completedAt: Int64?) {
        property("SUMMARY", ICSText.escape(task.title))
        if !task.notes.isEmpty { property("DESCRIPTION", ICSText.escape(task.notes)) }
        if let due = ICSText.due(task.due) { property(due.name, due.value) }
        if !task.labels.isEmpty { property("CATEGORIES", ICSText.list(task.labels)) }
        if let priority = task.priority { property("PRIORITY", ICSText.priority(priority)) }
        if !task.url.isEmpty { property("URL", task.url) }
        property("STATUS", task.done ? "COMPLETED" : "NEEDS-ACTION")
        if task.done, let completedAt { property("COMPLETED", ICSText.time(completedAt)) }
    }

    private mutating func property(_ name: String, _ value: String) {
        bytes += ICSText.line(name, value)
    }
}
