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
    private var unused = LeftOutNames()
    private var hasTitle = false
    /// The properties of the task.
    private var seen: Set<String> = []

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
        reader.unused.report("of tasks", &reader.list.remarks)
        return try reader.list.makeList(makeID: makeID)
    }

    private init(list: SourceList) { self.list = list }

    private mutating func read(_ line: String, lines: ClosedRange<Int>) throws(ImportError) {
        guard let property = Property(line) else {
            return list.leaveOut("a line that is not a property", lines)
        }
        let depth = components.count
        switch property.name {
        case "BEGIN":
            let name = property.value.uppercased()
            components.append((name, lines.lowerBound))
            if name == "VTODO", depth == 1 {
                task = SourceTask(line: lines.lowerBound)
                seen = []
            }
        case "END":
            guard let (name, start) = components.popLast(), name == property.value.uppercased()
            else {
                throw ImportError(line: lines.lowerBound, reason: "No such component is open.")
            }
            if depth == 2, var task, name == "VTODO" {
                task.lines = start...lines.upperBound
                list.add(task)
                self.task = nil
            } else if depth > 1, components.count != 1 || name != "VTODO" {
                list.leaveOut("a component \(name)", start...lines.upperBound)
            }
        default:
            if task != nil, depth == 2 {
                readTask(property, lines)
            } else if depth == 1, !hasTitle, ["X-WR-CALNAME", "NAME"].contains(property.name) {
                hasTitle = true
                list.title = property.text
            } else if depth < 2,
                !["VERSION", "PRODID", "CALSCALE", "METHOD"].contains(property.name)
            {
                list.leaveOut(property.name, lines)
            }
        }
    }

    private mutating func readTask(_ property: Property, _ lines: ClosedRange<Int>) {
        let isFirst = seen.insert(property.name).inserted
        switch property.name {
        case "DESCRIPTION": task?.addNote(property.text)
        case "CATEGORIES": task?.labels += property.texts
        case "RELATED-TO"
        where [nil, "PARENT"].contains(property.parameters["RELTYPE"]?.uppercased())
            && task?.parent == nil:
            task?.parent = property.value
        case _ where !isFirst: unused.add(property.name, lines)
        case "SUMMARY": task?.title = property.text
        case "UID": task?.key = property.value
        case "URL": task?.url = property.value
        case "X-APPLE-SORT-ORDER" where Double(property.value) != nil:
            task?.order = Double(property.value) ?? 0
        case "STATUS" where ["COMPLETED", "CANCELLED"].contains(property.value.uppercased()):
            task?.done = true
            if property.value.uppercased() == "CANCELLED" {
                list.remarks.add(.changed, "a cancelled task, to done", lines: lines)
            }
        case "STATUS" where ["NEEDS-ACTION", "IN-PROCESS"].contains(property.value.uppercased()):
            break
        case "PERCENT-COMPLETE" where property.value == "100": task?.done = true
        case "PERCENT-COMPLETE" where property.value == "0": break
        case "COMPLETED":
            task?.done = true
            unused.add("COMPLETED", lines)
        case "PRIORITY" where ("0"..."9").contains(property.value) && property.value.count == 1:
            let number = Int(property.value) ?? 0
            task?.priority = number == 0 ? nil : number < 5 ? 1 : number == 5 ? 2 : 3
        case "DUE" where DueDate.parse(property.value) != nil:
            let due = DueDate.parse(property.value) ?? ""
            let zone = property.parameters["TZID"].flatMap(TimeZone.init(identifier:))
            task?.due = zone.map { DueDate.time(due, in: $0) } ?? due
            if zone == nil, let name = property.parameters["TZID"] {
                list.leaveOut("the time zone \(name.prefix(64))", lines)
            }
        default: unused.add(property.name, lines)
        }
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
