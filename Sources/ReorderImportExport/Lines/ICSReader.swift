/// Reads the tasks (VTODO) of iCalendar files (RFC 5545).
///
/// `RELATED-TO` nests, `X-APPLE-SORT-ORDER` orders, `CATEGORIES` are labels. Properties and
/// components without a meaning here are reported.
struct ICSReader {
    private var list: SourceList
    private var task: SourceTask?
    /// The components around the line, outermost first.
    private var components: [(name: String, line: Int)] = []
    /// The number of components around the task's properties.
    private var taskDepth = 0
    private var hasTitle = false

    private static let roles: [String: TableRole] = [
        "SUMMARY": .title, "DESCRIPTION": .notes, "RELATED-TO": .parent, "UID": .id, "URL": .url,
        "X-APPLE-SORT-ORDER": .order, "STATUS": .done, "PERCENT-COMPLETE": .done,
        "COMPLETED": .done, "PRIORITY": .priority, "DUE": .due,
    ]
    private static let words: ProgramWords = [
        .done: ["100": "done", "0": "open"],
        .priority: ["1": "high", "2": "medium", "3": "low"],
    ]

    static func read(
        _ bytes: [UInt8], untitled: String, makeID: @escaping () -> String
    ) throws(ImportError) -> ImportedList? {
        var reader = ICSReader(list: SourceList(title: untitled))
        // Only whole lines are valid text: some programs fold inside a character.
        let lines = InputLines.split(InputLines.withoutByteOrderMark(bytes))
        var index = 0
        while index < lines.count {
            let first = index
            var text = Array(lines[index])
            index += 1
            while index < lines.count, let start = lines[index].first, Byte.isBlank(start) {
                text += lines[index].dropFirst()
                index += 1
            }
            guard !text.isEmpty else { continue }
            guard let line = String(validating: text, as: UTF8.self), !text.contains(0) else {
                throw ImportError(
                    line: first + 1, reason: "The line is not valid UTF-8. Save it as UTF-8 text.")
            }
            try reader.read(line, lines: (first + 1)...index)
        }
        if let open = reader.components.last {
            throw ImportError(line: open.line, reason: "The component \(open.name) is not closed.")
        }
        return try reader.list.makeList(makeID: makeID)
    }

    private init(list: SourceList) { self.list = list }

    private mutating func read(_ line: String, lines: ClosedRange<Int>) throws(ImportError) {
        guard let property = ICSProperty(line) else {
            return list.leaveOut("a line that is not a property", lines)
        }
        switch property.name {
        case "BEGIN":
            let name = property.value.uppercased()
            components.append((name, lines.lowerBound))
            if name == "VTODO", task == nil {
                task = SourceTask(line: lines.lowerBound)
                taskDepth = components.count
            }
        case "END":
            guard let (name, start) = components.popLast(), name == property.value.uppercased()
            else {
                throw ImportError(line: lines.lowerBound, reason: "No such component is open.")
            }
            if components.count == taskDepth - 1, var task {
                task.lines = start...lines.upperBound
                list.add(task)
                self.task = nil
            } else if task.map({ _ in components.count == taskDepth }) ?? isCalendar,
                name != "VCALENDAR"
            {
                list.leaveOut("a component \(name)", start...lines.upperBound)
            }
        case _ where task != nil:
            if components.count == taskDepth { readTask(property, lines) }
        case "X-WR-CALNAME" where !hasTitle && isCalendar, "NAME" where !hasTitle && isCalendar:
            hasTitle = true
            list.title = property.text
        case "VERSION", "PRODID", "CALSCALE", "METHOD": break
        default: if isCalendar { list.leaveOut(property.name, lines) }
        }
    }

    /// Whether the line is in no component but calendars. Some files have tasks outside a calendar.
    private var isCalendar: Bool { components.allSatisfy { $0.name == "VCALENDAR" } }

    private mutating func readTask(_ property: ICSProperty, _ lines: ClosedRange<Int>) {
        guard property.name != "CATEGORIES" else {
            return property.texts.forEach { task?.addLabel($0) }
        }
        guard let role = Self.roles[property.name], role != .parent || property.isParent else {
            task?.leftOut.append(property.name)
            return
        }
        let due = role == .due ? property.due : nil
        let text =
            switch role {
            // A time zone that is not known here is not lost.
            case .due where due != nil && property.hasUnknownZone:
                "\(due ?? "") \(property.parameters["TZID"] ?? "")"
            case .due: due ?? property.text
            case .priority: property.priority.map(String.init) ?? property.text
            default: property.text
            }
        task?.set(role, text, name: property.name, words: Self.words)
        if let due, task?.due.isEmpty == true { task?.due = due }
    }
}
