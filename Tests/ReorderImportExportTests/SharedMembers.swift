import Foundation
import ReorderEngine
import ReorderImportExport
import ReorderJSON

/// A list as lines, with what a format can represent of the members of `data` that programs share.
struct SharedMembers {
    let format: ListFileFormat

    /// Dates, what a list contains of them after reading, and the same in UTC; nil for no date.
    static let dues: [(text: String, read: String?, utc: String?)] = [
        ("2026-12-01", "2026-12-01", "2026-12-01"),
        ("2026-12-01T09:00:00Z", "2026-12-01T09:00:00Z", "2026-12-01T09:00:00Z"),
        ("2026-12-01T09:00:00", "2026-12-01T09:00:00", "2026-12-01T09:00:00"),
        ("2026-12-01T00:30:00+05:30", "2026-12-01T00:30:00+05:30", "2026-11-30T19:00:00Z"),
        ("2026-12-31T23:59:59.25-01:00", "2026-12-31T23:59:59-01:00", "2027-01-01T00:59:59Z"),
        ("2026-02-30", nil, nil), ("tomorrow", nil, nil), ("", nil, nil),
    ]

    /// The lines of a list that is read from a file.
    func lines(read list: ReorderableList) -> [String] { lines(list, isOriginal: false) }

    /// The lines of a list that is written to a file.
    func lines(written list: ReorderableList) -> [String] { lines(list, isOriginal: true) }

    private func lines(_ list: ReorderableList, isOriginal: Bool) -> [String] {
        let write = isOriginal
        var lines: [String] = []
        if format == .opml || format == .ics {
            var title = write ? clean(list.settings.title) : list.settings.title
            if format == .opml {
                title = title.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
                if title.allSatisfy(\.isWhitespace) { title = "untitled" }
            }
            lines.append("= \(title)")
        }
        var section: String?
        func add(_ task: ListTask) {
            lines.append(line(of: task, in: section, write: write))
        }
        let tasks = Array(list.tasks)
        for task in tasks where task.placement.section == nil { add(task) }
        for next in list.sections {
            section = next.title
            if format == .csv || format == .opml {
                lines.append("# \(write ? clean(next.title) : next.title)")
            }
            for task in tasks where task.placement.section == next.id { add(task) }
        }
        return lines
    }

    private func line(of task: ListTask, in section: String?, write: Bool) -> String {
        let members = task.content.data.map(Self.members) ?? [:]
        var labels = members["labels"] ?? []
        var notes = members["notes"]?.first ?? ""
        var due = members["due"]?.first ?? ""
        var url = members["url"]?.first ?? ""
        var title = task.content.title
        let priority = members["priority"]?.first.flatMap {
            ["1", "2", "3"].contains($0) ? $0 : nil
        }
        if write {
            labels = self.labels(labels, in: section)
            notes = clean(notes)
            let known = Self.dues.first { $0.text == due }
            due = (format == .ics ? known?.utc : known?.read) ?? ""
            if !url.hasPrefix("https:") { url = "" }
            title = clean(title)
            if format == .todoTxt {
                title = oneLine(title)
                (notes, url, due) = ("", "", String(due.prefix(10)))
            }
        }
        // A list has each label once.
        labels =
            format == .todoTxt
            ? Set(labels).sorted()
            : labels.enumerated().filter { !labels[..<$0].contains($1) }.map(\.element)
        return [
            "\(task.depth)", title, "\(task.content.done)", notes, due, "\(labels)",
            priority ?? "", url,
        ].joined(separator: "|")
    }

    /// The members of the right type. Foundation's JSON leaves out byte order marks in texts.
    private static func members(of data: String) -> [String: [String]] {
        var members: [String: [String]] = [:]
        guard let text = try? JSONText(checking: Array(data.utf8)) else { return [:] }
        var reader = JSONReader(text)
        guard (try? reader.beginObject()) != nil else { return [:] }
        while reader.nextMember() != nil {
            let name = reader.memberName
            switch (name, reader.peek) {
            case ("priority", .number): members[name] = [reader.readRaw()]
            case ("labels", .array):
                try? reader.beginArray()
                while reader.nextElement() {
                    if let label = try? reader.readString() {
                        members[name, default: []].append(label)
                    }
                }
            case ("notes", .string), ("due", .string), ("url", .string):
                members[name] = (try? reader.readString()).map { [$0] }
            default: break
            }
        }
        return members
    }

    private func labels(_ labels: [String], in section: String?) -> [String] {
        var distinct: [String] = []
        for label in labels.map({ split(clean($0), at: "\r\n") }) where !label.isEmpty {
            if !distinct.contains(label) { distinct.append(label) }
        }
        switch format {
        case .csv, .opml:
            return distinct.map { split($0, at: ",;") }.filter { !$0.isEmpty }
        case .todoTxt:
            let words = distinct.map { ($0, "@") } + (section.map { [(clean($0), "+")] } ?? [])
            return words.compactMap { text, mark in
                let scalars = oneLine(text).unicodeScalars.map { $0 == " " ? "_" : String($0) }
                let word = scalars.joined()
                let isMarked = word.utf8.count > 1 && "+@".utf8.contains(word.utf8.first ?? 0)
                return word.isEmpty ? nil : isMarked ? word : mark + word
            }
        default: return distinct
        }
    }

    /// Without control characters; in iCalendar, with one kind of line ends.
    private func clean(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            let isControl = scalar.value < 32 && !"\t\n\r".unicodeScalars.contains(scalar)
            return isControl || scalar.value == 127 ? "\u{FFFD}" : String(scalar)
        }
        guard format == .ics else { return scalars.joined() }
        return scalars.joined().replacing("\r\n", with: "\n").unicodeScalars
            .map { $0 == "\r" ? "\n" : String($0) }.joined()
    }

    private func oneLine(_ text: String) -> String {
        let ends = "\t\n\r\u{85}\u{2028}\u{2029}".unicodeScalars
        return trim(text.unicodeScalars.map { ends.contains($0) ? " " : String($0) }.joined())
    }

    private func split(_ text: String, at separators: String) -> String {
        text.unicodeScalars.split { separators.unicodeScalars.contains($0) }
            .map { trim(String($0)) }.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Without spaces and tabs at both ends.
    private func trim(_ text: String) -> String {
        let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        let start = text.unicodeScalars.drop(while: isBlank)
        let end = start.lastIndex { !isBlank($0) }
        return end.map { String(start[...$0]) } ?? ""
    }
}
