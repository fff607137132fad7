import ReorderJSON

/// Stores the properties that only Todoist has in the task's `data`. Each cell is stored under its
/// column's name in lower case, and comments are stored as `notes`:
///
/// ```json
/// {"description":"two of them","priority":1,"date":"every day","notes":[{"content":"…"}]}
/// ```
///
/// `priority` and `duration` are numbers, the others are texts. In Todoist, priority 4 means no
/// priority, so it is omitted here. An empty cell means priority 1.
enum TodoistData {
    /// The columns of a comment's row.
    static let noteColumns: [TodoistColumn] = [.content, .author, .date]

    struct Note {
        var row: TodoistRow
        var line: Int
    }

    /// The data of a task's row and its notes; nil without data.
    ///
    /// Todoist allows longer texts than `data`. If they do not fit, they are shortened: first the
    /// last comments, then the description.
    static func encode(
        _ row: TodoistRow, notes: [Note], line: Int, _ remarks: inout ImportRemarks
    ) -> String? {
        guard let data = encode(row, notes: notes.map(\.row)) else { return nil }
        if data.utf8.count <= FormLimits.dataBytes { return data }
        var room = TodoistDataRoom()
        let row = room.fit(row, line: line, &remarks)
        let notes = notes.compactMap { room.fit($0, &remarks) }
        return encode(row, notes: notes)
    }

    private static func encode(_ row: TodoistRow, notes: [TodoistRow]) -> String? {
        var writer = JSONWriter()
        var isEmpty = notes.isEmpty
        writer.beginObject()
        for column in TodoistColumn.allCases {
            guard let member = column.member, !row[column].isEmpty,
                column != .priority || row[column].trimmed != TodoistRow.noPriority
            else { continue }
            isEmpty = false
            writer.name(escaping: member)
            if let number = column.number(row[column].trimmed) {
                writer.int(number)
            } else {
                writer.string(row[column])
            }
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

    /// Writes a task's data into its row, and returns its notes. Members that Todoist can't
    /// represent are left out: those without a column, and values that are no texts or numbers.
    static func decode(_ data: String, into row: inout TodoistRow) -> [TodoistRow] {
        guard let text = try? JSONText(checking: Array(data.utf8)) else { return [] }
        var reader = JSONReader(text)
        guard (try? reader.beginObject()) != nil else { return [] }
        var notes: [TodoistRow] = []
        while reader.nextMember() != nil {
            let name = reader.memberName
            if let column = TodoistColumn(member: name) {
                if let cell = reader.readCell(of: column) { row[column] = cell }
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
            let name = reader.memberName
            if let column = noteColumns.first(where: { $0.rawValue.lowercased() == name }),
                let text = reader.readText()
            {
                note[column] = text
            }
        }
        return note[.content].isEmpty ? nil : note
    }
}

extension TodoistColumn {
    /// The number of a cell that must be one; nil for other texts and columns.
    fileprivate func number(_ text: String) -> Int? {
        guard self == .priority || self == .duration, let number = Int(text), number >= 1,
            self != .priority || number <= 4, String(number) == text
        else { return nil }
        return number
    }
}

extension JSONReader {
    /// Reads a value that a column can represent; otherwise returns nil.
    fileprivate mutating func readCell(of column: TodoistColumn) -> String? {
        let text = readText()
        switch column {
        case .priority, .duration: return text.flatMap { column.number($0) == nil ? nil : $0 }
        default: return text
        }
    }

    /// Reads a string or a number as text; reads nothing if the next value has another type.
    fileprivate mutating func readText() -> String? {
        switch peek {
        case .string: try? readString()
        case .number: readRaw()
        default: nil
        }
    }
}
