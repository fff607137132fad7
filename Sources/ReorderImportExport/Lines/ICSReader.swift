import Foundation

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
        .priority: [
            "1": "high", "2": "high", "3": "high", "4": "high", "5": "medium", "6": "low",
            "7": "low",
            "8": "low", "9": "low",
        ],
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
        guard let property = Property(line) else {
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

    private mutating func readTask(_ property: Property, _ lines: ClosedRange<Int>) {
        let isParent = [nil, "PARENT"].contains(property.parameters["RELTYPE"]?.uppercased())
        guard property.name != "CATEGORIES" else {
            return property.texts.forEach { task?.addLabel($0) }
        }
        guard let role = Self.roles[property.name], role != .parent || isParent else {
            task?.leftOut.append(property.name)
            return
        }
        let due = role == .due ? DueDate.parse(property.value) : nil
        let zone = property.parameters["TZID"]
        let text =
            if let due, let zone = zone.flatMap(TimeZone.init(identifier:)) {
                DueDate.time(due, in: zone)
            } else if let due, let zone {
                // A time zone that is not known here is not lost.
                "\(due) \(zone)"
            } else {
                property.text
            }
        task?.set(role, text, name: property.name, words: Self.words)
        if let due, task?.due.isEmpty == true { task?.due = due }
    }

    /// A line without its folds.
    private struct Property {
        var name: String
        var parameters: [String: String] = [:]
        /// As written.
        var value: String

        init?(_ line: String) {
            // The first colon outside of quotes.
            var isQuoted = false
            var parts: [String] = [""]
            var rest = line.unicodeScalars[...]
            while let scalar = rest.popFirst() {
                if scalar == "\"" { isQuoted.toggle() }
                if scalar == ":", !isQuoted { break }
                if scalar == ";", !isQuoted {
                    parts.append("")
                } else {
                    parts[parts.count - 1].unicodeScalars.append(scalar)
                }
                if rest.isEmpty { return nil }
            }
            // A group is not part of the name.
            name = (parts[0].split(separator: ".").last.map(String.init) ?? "").uppercased()
            value = String(rest)
            guard !name.isEmpty else { return nil }
            for part in parts.dropFirst() {
                let pair = part.split(separator: "=", maxSplits: 1)
                guard pair.count == 2 else { continue }
                parameters[pair[0].uppercased()] = String(pair[1]).replacing("\"", with: "")
            }
        }

        var text: String { Self.split(value, at: nil).joined() }
        /// The texts between commas.
        var texts: [String] {
            Self.split(value, at: ",").map(\.trimmed).filter { !$0.isEmpty }
        }

        /// Without backslashes.
        private static func split(_ value: String, at separator: Unicode.Scalar?) -> [String] {
            var texts = [""]
            var isEscaped = false
            for scalar in value.unicodeScalars {
                if isEscaped {
                    let isLineEnd = scalar == "n" || scalar == "N"
                    texts[texts.count - 1].unicodeScalars.append(isLineEnd ? "\n" : scalar)
                    isEscaped = false
                } else if scalar == "\\" {
                    isEscaped = true
                } else if scalar == separator {
                    texts.append("")
                } else {
                    texts[texts.count - 1].unicodeScalars.append(scalar)
                }
            }
            if isEscaped { texts[texts.count - 1] += "\\" }
            return texts
        }
    }
}
