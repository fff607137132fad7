import ReorderJSON

/// The part of a task's `data` that is not yet used, for texts that do not all fit.
struct TodoistDataRoom {
    /// The members of a note, its braces, quotes and commas have fewer bytes than this.
    private static let noteBytes = 48
    /// The quotes, colon and comma of a member.
    private static let memberBytes = 6

    // Without the braces and the name of the notes.
    private var bytes = FormLimits.dataBytes - 16

    /// The row, with shortened texts if necessary. The description comes last, so that it does not
    /// use the room of the other members, which are usually short.
    mutating func fit(
        _ row: TodoistRow, line: Int, _ remarks: inout ImportRemarks
    ) -> TodoistRow {
        var row = row
        for column in TodoistColumn.allCases.filter({ $0 != .description }) + [.description] {
            guard let member = column.member, !row[column].isEmpty else { continue }
            let text = fit(row[column], overhead: member.utf8.count + Self.memberBytes)
            report(row[column], text, "the \(column.rawValue)", line: line, &remarks)
            row[column] = text
        }
        return row
    }

    /// The note, with a shortened text if necessary; nil if there is no room.
    mutating func fit(
        _ note: TodoistData.Note, _ remarks: inout ImportRemarks
    ) -> TodoistRow? {
        var row = note.row
        let overhead = TodoistData.noteColumns.dropFirst().reduce(Self.noteBytes) {
            $0 + Self.size(of: row[$1])
        }
        let text = fit(row[.content], overhead: overhead)
        report(row[.content], text, "a comment", line: note.line, &remarks)
        row[.content] = text
        return text.isEmpty ? nil : row
    }

    private func report(
        _ text: String, _ kept: String, _ what: String, line: Int, _ remarks: inout ImportRemarks
    ) {
        guard kept != text else { return }
        remarks.add(
            kept.isEmpty ? .leftOut : .shortened,
            "\(what), because a task's data has at most \(FormLimits.dataBytes) bytes",
            lines: line...line)
    }

    private mutating func fit(_ text: String, overhead: Int) -> String {
        let text = text.prefix(maximumBytes: max(0, bytes - overhead), size: \.jsonBytes)
        if !text.isEmpty { bytes -= overhead + Self.size(of: text) }
        return text
    }

    private static func size(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + $1.jsonBytes }
    }
}

extension Unicode.Scalar {
    /// The maximum number of bytes that JSON needs for it.
    var jsonBytes: Int {
        switch self {
        case "\"", "\\", "\n", "\r", "\t": 2
        case "\0"..<" ": 6
        default: UTF8.width(self)
        }
    }
}
