import ReorderEngine
import ReorderImportExport

/// A task as a calendar: the text that its client wrote, with those properties edited that the task now says
/// otherwise.
struct TaskRendering {
    private let task: CalendarTask
    private let meaning: TaskMeaning

    /// - Parameter written: a text that is probably the one that the task has, so that it is not read again.
    static func bytes(of task: CalendarTask, written: CalendarText? = nil) -> [UInt8] {
        let rendering = TaskRendering(task: task, meaning: task.meaning)
        let text = StoredResource.text(data: task.content.data).flatMap { text in
            if let written, text.utf8.elementsEqual(written.bytes) { return written }
            return try? CalendarText(Array(text.utf8))
        }
        return text.map(rendering.edited) ?? rendering.written
    }

    // MARK: A new text

    private var written: [UInt8] {
        let stamps = task.content.stamps
        let changed = stamps.updatedAt ?? stamps.createdAt ?? 0
        var bytes: [UInt8] = []
        func add(_ name: String, _ value: String) { bytes += ICSText.line(name, value) }
        add("BEGIN", "VCALENDAR")
        add("VERSION", "2.0")
        add("PRODID", "-//reorderd//reorderd//EN")
        add("BEGIN", "VTODO")
        add("UID", ICSText.escape(task.uid))
        add("DTSTAMP", ICSText.time(changed))
        if let created = stamps.createdAt { add("CREATED", ICSText.time(created)) }
        add("LAST-MODIFIED", ICSText.time(changed))
        for role in Self.roles {
            for (name, value) in properties(role) { add(name, value) }
        }
        add("END", "VTODO")
        add("END", "VCALENDAR")
        return bytes
    }

    private static let roles: [TaskMeaning.Role] = [
        .title, .notes, .due, .labels, .priority, .url, .status, .parent, .order, .collapsed,
    ]

    /// The properties that say what the task says.
    private func properties(_ role: TaskMeaning.Role) -> [(name: String, value: String)] {
        func one(_ value: String, if isSet: Bool) -> [(name: String, value: String)] {
            isSet ? [(role.rawValue, value)] : []
        }
        switch role {
        case .title: return one(ICSText.escape(meaning.title), if: !meaning.title.isEmpty)
        case .notes: return one(ICSText.escape(meaning.notes), if: !meaning.notes.isEmpty)
        case .due: return ICSText.due(meaning.due).map { [$0] } ?? []
        case .labels: return one(ICSText.list(meaning.labels), if: !meaning.labels.isEmpty)
        case .priority:
            return meaning.priority.map { [(role.rawValue, ICSText.priority($0))] } ?? []
        case .url: return one(meaning.url, if: !meaning.url.isEmpty)
        case .status:
            guard meaning.isDone else { return one("NEEDS-ACTION", if: true) }
            let stamps = task.content.stamps
            let time = stamps.completedAt ?? stamps.updatedAt
            return one("COMPLETED", if: true)
                + (time.map { [("COMPLETED", ICSText.time($0))] } ?? [])
                + [("PERCENT-COMPLETE", "100")]
        case .parent: return meaning.parent.map { [(role.rawValue, ICSText.escape($0))] } ?? []
        case .order: return meaning.order.map { [(role.rawValue, "\($0)")] } ?? []
        case .collapsed: return one("1", if: meaning.isCollapsed)
        case .percentage, .completed, .created: return []
        }
    }

    // MARK: An edited text

    private func edited(_ text: CalendarText) -> [UInt8] {
        var edits = CalendarEdits(of: text)
        let written = TaskMeaning(text)
        if !text.uid.hasBytes(of: task.uid) {
            edits.setUID(ICSText.escape(task.uid))
        }
        // Without a key, nothing is known that the text could say otherwise.
        for role in meaning.differences(from: written) where role != .order || task.order != nil {
            edits.replace(properties(role)) { text, line in
                switch role {
                case .status:
                    ["STATUS", "COMPLETED", "PERCENT-COMPLETE"].contains(text.lines[line].name)
                case .parent:
                    text.lines[line].name == role.rawValue
                        && text.property(line)?.isParent == true
                default: text.lines[line].name == role.rawValue
                }
            }
        }
        guard !edits.isEmpty else { return text.bytes }
        if let changed = task.content.stamps.updatedAt.map(ICSText.time) {
            for name in ["LAST-MODIFIED", "DTSTAMP"] {
                edits.replace([(name, changed)]) { $0.lines[$1].name == name }
            }
        }
        return edits.bytes
    }
}

/// Changes of single properties of a text.
struct CalendarEdits {
    private let text: CalendarText
    /// The bytes in the place of a line, by its index.
    private var replaced: [Int: [UInt8]] = [:]
    /// The bytes after the task's properties.
    private var added: [UInt8] = []

    init(of text: CalendarText) { self.text = text }

    var isEmpty: Bool { replaced.isEmpty && added.isEmpty }

    /// Removes the task's properties for which `isOld` is true, and adds others in the place of the first one, or at
    /// the end.
    mutating func replace(
        _ new: [(name: String, value: String)], _ isOld: (CalendarText, Int) -> Bool
    ) {
        let end = text.lineEnd
        let bytes = new.flatMap { ICSText.line($0.name, $0.value, end: end) }
        let old = text.properties(of: text.master).filter { isOld(text, $0) }
        for line in old { replaced[line] = [] }
        if let first = old.first { replaced[first] = bytes } else { added += bytes }
    }

    /// Also in the occurrences of a repeating task.
    mutating func setUID(_ uid: String) {
        for (index, component) in text.components.enumerated() where component.name == "VTODO" {
            for line in text.properties(of: index) where text.lines[line].name == "UID" {
                replaced[line] = ICSText.line("UID", uid, end: text.lineEnd)
            }
        }
    }

    var bytes: [UInt8] {
        let properties = text.properties(of: text.master)
        let last = properties.last ?? text.components[text.master].lines.lowerBound
        var bytes: [UInt8] = []
        for (index, line) in text.lines.enumerated() {
            bytes += replaced[index] ?? Array(text.bytes[line.range])
            if index == last { bytes += added }
        }
        return bytes
    }
}
