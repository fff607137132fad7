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
        ics.property("X-WR-CALNAME", escape(list.settings.title))
        var order = 0
        list.forEachLine { line in
            guard case .task(let task) = line else { return }
            order += 1
            let stamps = task.content.stamps
            ics.property("BEGIN", "VTODO")
            ics.property("UID", uid(task.id))
            // It is required, so that an unknown time needs one too.
            ics.property("DTSTAMP", time(stamps.updatedAt ?? stamps.createdAt ?? 0))
            ics.properties(of: SourceTask(task.content), completedAt: stamps.completedAt)
            if let parent = task.placement.parent { ics.property("RELATED-TO", uid(parent)) }
            ics.property("X-APPLE-SORT-ORDER", "\(order)")
            ics.property("END", "VTODO")
        }
        ics.property("END", "VCALENDAR")
        return ics.bytes
    }

    private mutating func properties(of task: SourceTask, completedAt: Int64?) {
        property("SUMMARY", Self.escape(task.title))
        if !task.notes.isEmpty { property("DESCRIPTION", Self.escape(task.notes)) }
        if task.due.utf8.count == 10 {
            property("DUE;VALUE=DATE", task.due.replacing("-", with: ""))
        } else if let time = Timestamp.parse(task.due) {
            property("DUE", Self.time(time))
        } else if task.due.utf8.count == 19 {
            // A time without a time zone stays without one.
            property("DUE", Self.basic(task.due))
        }
        if !task.labels.isEmpty {
            property("CATEGORIES", task.labels.map(Self.escape).joined(separator: ","))
        }
        if let priority = task.priority { property("PRIORITY", ["1", "5", "9"][priority - 1]) }
        if !task.url.isEmpty { property("URL", task.url) }
        property("STATUS", task.done ? "COMPLETED" : "NEEDS-ACTION")
        if task.done, let completedAt { property("COMPLETED", Self.time(completedAt)) }
    }

    /// Adds a line, folded so that none has more than 75 bytes.
    private mutating func property(_ name: String, _ value: String) {
        var count = 0
        for scalar in "\(name):\(value)".unicodeScalars {
            let width = UTF8.width(scalar)
            if count + width > 75 {
                bytes += [Byte.carriageReturn, Byte.lineFeed, Byte.space]
                count = 1
            }
            bytes += Array(String(scalar).utf8)
            count += width
        }
        bytes += [Byte.carriageReturn, Byte.lineFeed]
    }

    private static func escape(_ text: String) -> String {
        var escaped = ""
        let lines = text.withoutControls.replacing("\r\n", with: "\n")
        for scalar in lines.unicodeScalars {
            switch scalar {
            case "\\", ";", ",": escaped += "\\\(scalar)"
            case "\n", "\r": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func time(_ milliseconds: Int64) -> String {
        var writer = JSONWriter()
        writer.time(milliseconds: milliseconds)
        return basic(writer.bytes[1..<20].text) + "Z"
    }

    /// `2026-11-30T10:00:00` in the form of iCalendar.
    private static func basic(_ time: String) -> String {
        time.filter { !"-:".contains($0) }
    }
}
