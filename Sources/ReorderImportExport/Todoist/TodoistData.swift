import ReorderJSON

/// Stores the properties that only Todoist has in the task's `data`. Each cell is stored under its
/// column's name in lower case, and comments are stored as `notes`:
///
/// ```json
/// {"description":"two of them","priority":1,"date":"every day","notes":[{"content":"…"}]}
/// ```
///
/// In Todoist, priority 4 means no priority, so it is omitted here. An empty cell means priority 1.
enum TodoistData {
    static let noPriority = "4"

    /// The columns of a note's row.
    private static let noteColumns: [TodoistColumn] = [.content, .author, .date]

    /// The data of a task's row and its notes; nil without data.
    static func encode(_ row: TodoistRow, notes: [TodoistRow]) -> String? {
        var writer = JSONWriter()
        var isEmpty = notes.isEmpty
        writer.beginObject()
        for column in TodoistColumn.allCases {
            guard let member = column.member, !row[column].isEmpty,
                !(column == .priority && row[column] == noPriority)
            else { continue }
            isEmpty = false
            writer.name(escaping: member)
            writer.cell(row[column], isNumber: column == .priority || column == .duration)
        }
        if !notes.isEmpty {
            writer.name("notes")
            writer.beginArray()
            for note in notes {
                writer.beginObject()
                for column in noteColumns where !note[column].isEmpty {
                    writer.name(escaping: column.rawValue.lowercased())
                    writer.string(note[column])
                }
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        return isEmpty ? nil : writer.bytes[...].text
    }

    /// Writes a task's data into its row, and returns its notes; members without a column are
    /// skipped.
    static func decode(_ data: String, into row: inout TodoistRow) -> [TodoistRow] {
        guard let text = try? JSONText(checking: Array(data.utf8)) else { return [] }
        var reader = JSONReader(text)
        guard (try? reader.beginObject()) != nil else { return [] }
        var notes: [TodoistRow] = []
        while reader.nextMember() != nil {
            let name = reader.memberName
            if let column = TodoistColumn(member: name), let cell = reader.readCell() {
                row[column] = cell
            } else if name == "notes", (try? reader.beginArray()) != nil {
                while reader.nextElement() {
                    if let note = readNote(from: &reader) { notes.append(note) }
                }
            }
        }
        return notes
    }

    private static func readNote(from reader: inout JSONReader) -> TodoistRow? {
        guard (try? reader.beginObject()) != nil else { return nil }
        var note = TodoistRow()
        while reader.nextMember() != nil {
            let name = reader.memberName.uppercased()
            if let column = noteColumns.first(where: { $0.rawValue == name }),
                let cell = reader.readCell()
            {
                note[column] = cell
            }
        }
        return note[.content].isEmpty ? nil : note
    }
}

extension JSONWriter {
    /// A number stays a number if JSON writes it the same way.
    fileprivate mutating func cell(_ text: String, isNumber: Bool) {
        if isNumber, let number = Int(text), String(number) == text {
            int(number)
        } else {
            string(text)
        }
    }
}

extension JSONReader {
    /// Reads a string or a number as text; reads nothing if the next value has another type.
    fileprivate mutating func readCell() -> String? {
        switch peek {
        case .string: try? readString()
        case .number: readRaw()
        default: nil
        }
    }
}
