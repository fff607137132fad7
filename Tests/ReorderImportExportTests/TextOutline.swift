import ReorderEngine
import ReorderImportExport
import Testing

/// A list as text, one line for each task or section, limited to what a format can represent.
struct TextOutline: Equatable, CustomStringConvertible {
    enum Part { case title, done, collapsed, data }

    let description: String

    init(_ list: ReorderableList, _ parts: Set<Part> = [.title, .done]) {
        var lines: [String] = []
        if parts.contains(.title) { lines.append("= \(list.settings.title)") }
        func add(_ task: ListTask) {
            var line = String(repeating: "  ", count: task.depth) + "- " + task.content.title
            if parts.contains(.done), task.content.done { line += " [done]" }
            if parts.contains(.collapsed), task.content.collapsed { line += " [collapsed]" }
            if parts.contains(.data), let data = task.content.data { line += " \(data)" }
            lines.append(line)
        }
        let tasks = Array(list.tasks)
        for task in tasks where task.placement.section == nil { add(task) }
        for section in list.sections {
            lines.append("# \(section.title)")
            for task in tasks where task.placement.section == section.id { add(task) }
        }
        description = lines.joined(separator: "\n")
    }
}

extension ListFileFormat {
    /// Reads a list; new ids are n1, n2, …
    func read(_ text: String, untitled: String = "untitled") throws -> ImportedList {
        try read(Array(text.utf8), untitled: untitled)
    }

    func read(_ bytes: [UInt8], untitled: String = "untitled") throws -> ImportedList {
        try #require(try readIfAny(bytes, untitled: untitled))
    }

    /// Returns nil if the text contains no list.
    func readIfAny(_ bytes: [UInt8], untitled: String = "untitled") throws -> ImportedList? {
        try readAll(bytes, untitled: untitled).first
    }

    func readAll(
        _ bytes: [UInt8], columns: [String] = [], untitled: String = "untitled"
    ) throws -> [ImportedList] {
        var count = 0
        var names = TableColumns()
        for column in columns {
            let isAdded = names.add(column)
            try #require(isAdded)
        }
        return try read(bytes, columns: names, untitled: untitled) {
            count += 1
            return "n\(count)"
        }
    }

    /// The error for a text, or nil.
    func refusal(of text: String) -> ImportError? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error as? ImportError
        }
    }

    func text(of list: ReorderableList) -> String {
        String(decoding: write(list, id: "list", version: 1) ?? [], as: UTF8.self)
    }
}

extension ImportedList {
    /// The remarks with their line numbers.
    var report: [String] { remarks.map { "\($0.lines.lowerBound): \($0)" } }

    /// The report without the times of tasks, which are written but not read.
    var reportWithoutTimes: [String] {
        let times = [
            "DTSTAMP", "DTSTAMP, the time of completion", "the dates of creation or completion",
        ]
        return report.filter { remark in
            !times.contains { remark.contains(": left out: \($0) of tasks") }
        }
    }
}
