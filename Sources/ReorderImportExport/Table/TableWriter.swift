import ReorderEngine

/// Writes a list as a table (CSV): a row for each section, with level 0, and for each task.
///
/// It begins with a byte order mark, without which Excel reads another encoding. Cells are not
/// changed to keep spreadsheets from reading them as formulas.
enum TableWriter {
    static func write(_ list: ReorderableList) -> [UInt8] {
        var csv = CSVWriter()
        csv.record(KnownTable.header.map(\.rawValue))
        var section = ""
        list.forEachLine { line in
            var cells: [TableRole: String] = [:]
            switch line {
            case .section(let next):
                section = next.title.withoutControls
                cells[.level] = KnownTable.sectionLevel
                cells[.id] = next.id
            case .task(let task):
                let source = SourceTask(task.content)
                cells = [
                    .level: String(task.depth + 1), .title: source.title,
                    .done: source.done ? "true" : "false", .due: source.due,
                    .priority: source.priority.map(String.init) ?? "",
                    .labels: source.labels(separatedBy: ", "), .notes: source.notes,
                    .url: source.url, .id: task.id,
                ]
            }
            cells[.section] = section
            csv.record(KnownTable.header.map { cells[$0] ?? "" })
        }
        return [0xEF, 0xBB, 0xBF] + csv.bytes
    }
}
