import ReorderEngine

/// Reads a table with a header: each row is a task, unless the table's program has other rows.
///
/// Columns without a meaning are reported. A column `list` makes a list of each of its values, a
/// column `section` a section.
struct TableReader {
    /// The columns' names and meanings.
    private let header: [(name: String, meaning: Meaning)]
    private let known: KnownTable?
    private let delimiter: String
    private let untitled: String
    private var lists: [SourceList] = []
    private var listIndices: [String: Int] = [:]
    private var remarks = ImportRemarks()

    private enum Meaning: Equatable {
        case role(TableRole), lineOfNotes, kind, none
    }

    /// Programs write a few lines above the header.
    static let maximumPreamble = 16
    /// The maximum number of fields that are joined to a title.
    private static let maximumJoins = 64

    /// - Parameter columns: empty if the header decides.
    static func read(
        _ bytes: [UInt8], columns: TableColumns, untitled: String,
        makeID: @escaping () -> String
    ) throws(ImportError) -> [ImportedList] {
        _ = try InputLines(bytes)
        var records = CSVReader(InputLines.withoutByteOrderMark(bytes))
        let start = records.line
        guard let (line, header, known) = try header(&records) else { return [] }
        var reader = try TableReader(
            header, known, columns, line: line, delimiter: [records.delimiter][...].text, untitled)
        if line > start {
            reader.remarks.add(.leftOut, "text above the table", lines: start...(line - 1))
        }
        while let (line, fields) = try records.next() {
            guard fields.contains(where: { !$0.trimmed.isEmpty }) else { continue }
            try reader.read(fields, lines: line...max(line, records.line - 1))
        }
        var made: [ImportedList] = []
        for list in reader.lists {
            if let list = try list.makeList(makeID: makeID) { made.append(list) }
        }
        if !made.isEmpty {
            made[0].remarks = (reader.remarks.inLineOrder + made[0].remarks)
                .sorted { Double($0.lines.lowerBound) }
        }
        return made
    }

    /// The first record that is not empty, or the header of a known program after others.
    private static func header(
        _ records: inout CSVReader
    ) throws(ImportError) -> (line: Int, fields: [String], known: KnownTable?)? {
        var first: (line: Int, fields: [String], known: KnownTable?)?
        var ahead = records
        for _ in 0..<maximumPreamble {
            guard let (line, fields) = try ahead.next() else { break }
            let known = KnownTable.of(fields)
            guard known != nil || first == nil && fields.contains(where: { !$0.trimmed.isEmpty })
            else { continue }
            first = (line, fields, known)
            records = ahead
            if known != nil { break }
        }
        return first
    }

    private init(
        _ header: [String], _ known: KnownTable?, _ columns: TableColumns, line: Int,
        delimiter: String, _ untitled: String
    ) throws(ImportError) {
        (self.delimiter, self.untitled) = (delimiter, untitled)
        let known = columns.names.isEmpty ? known : nil
        self.known = known
        let header = header.map(\.trimmed)
        let list = header.prefix(64).map { "\"\($0.prefix(64))\"" }.joined(separator: ", ")
        let names = known?.columns ?? columns.names
        guard !names.isEmpty else {
            var error = ImportError(
                line: line, reason: "The table's columns are not known: \(list).")
            error.header = header
            error.columns = TableColumns(proposedFor: header).options(in: header)
            throw error
        }
        let lowercased = header.map { $0.lowercased() }
        var meanings: [Int: Meaning] = [:]
        for (role, name) in names {
            let index =
                header.firstIndex(of: name.trimmed)
                ?? lowercased.firstIndex(of: name.trimmed.lowercased())
            guard index != nil || known != nil else {
                throw ImportError(
                    line: line, reason: "The table has no column \"\(name)\", only \(list).")
            }
            if let index { meanings[index] = .role(role) }
        }
        guard meanings.values.contains(.role(.title)) else {
            throw ImportError(line: line, reason: "No column has the titles; name it with title=.")
        }
        for (index, name) in header.enumerated() where meanings[index] == nil {
            if name.uppercased() == known?.kind { meanings[index] = .kind }
            if known?.noted.contains(name) == true { meanings[index] = .lineOfNotes }
        }
        self.header = header.enumerated().map { ($1, meanings[$0] ?? .none) }
    }

    private mutating func read(
        _ fields: [String], lines: ClosedRange<Int>
    ) throws(ImportError) {
        var fields = fields
        if fields.count > header.count, !fits(fields) {
            guard let joined = joiningTitle(of: fields) else {
                throw ImportError(
                    line: lines.lowerBound,
                    reason: "The row has \(fields.count) fields, but the header has "
                        + "\(header.count). A field that contains the delimiter must be in quotes.")
            }
            fields = joined
            remarks.add(
                .changed, "an unquoted title with delimiters, joined to one title", lines: lines)
        }
        let list = listIndex(cell(.role(.list), fields).trimmed)
        let title = cell(.role(.title), fields)
        let hasKinds = known?.kind != nil
        switch hasKinds ? cell(.kind, fields).trimmed.lowercased() : "task" {
        case "task":
            if known?.hasSectionRows == true,
                cell(.role(.level), fields).trimmed == KnownTable.sectionLevel,
                title.trimmed.isEmpty
            {
                lists[list].beginSection(
                    cell(.role(.section), fields), line: lines.lowerBound)
            } else {
                readTask(fields, lines, list)
            }
        case "section":
            lists[list].beginSection(title, line: lines.lowerBound)
            let names = others(in: fields).map(\.name).joined(separator: ", ")
            if !names.isEmpty { remarks.add(.leftOut, "\(names) of a section", lines: lines) }
        case "note":
            let text = ([title] + others(in: fields).map { "(\($0.name): \($0.text))" })
                .filter { !$0.isEmpty }.joined(separator: " ")
            if !lists[list].withLastTask({ $0.addNote(text, lines: lines) }) {
                remarks.add(.leftOut, "a comment without a task above it", lines: lines)
            }
        case let kind:
            remarks.add(.leftOut, "a row of the type \"\(kind.prefix(64))\"", lines: lines)
        }
    }

    private mutating func readTask(_ fields: [String], _ lines: ClosedRange<Int>, _ list: Int) {
        var task = SourceTask(line: lines.lowerBound)
        task.lines = lines
        var level: Int?
        var items: [SourceTask] = []
        let texts: [Meaning] = [.role(.title), .role(.notes)]
        for ((name, meaning), text) in zip(header, fields)
        where !text.trimmed.isEmpty || texts.contains(meaning) {
            switch meaning {
            case .kind, .role(.list): break
            case .role(.section):
                task.section = lists[list].section(titled: text.trimmed, line: lines.lowerBound)
            case .role(.level) where Int(text.trimmed) != nil: level = Int(text.trimmed)
            case .role(.notes)
            where known?.checklist.contains { cell(named: $0, fields) == "Y" } == true:
                items = checklist(text, of: &task)
            case .role(let role): task.set(role, text, name: name, words: known?.words ?? [:])
            case .lineOfNotes: task.addNote("\(name): \(text)")
            case .none: task.leftOut.append(Self.named(name))
            }
        }
        if known?.kind != nil {
            // Todoist writes labels into the title.
            let words = task.title.words
            words.filter(Self.isLabel).forEach { task.addLabel($0.dropFirst()) }
            task.title = words.joined(untilLast: Self.isLabel)
        }
        if let allDay = known?.allDay, cell(named: allDay.flag, fields).lowercased() == "true",
            let day = DueDate.day(of: task.due, in: cell(named: allDay.zone, fields))
        {
            task.due = day
        }
        let hasLevels = known?.kind != nil || header.contains { $0.meaning == .role(.level) }
        if known?.kind != nil { level = max(level ?? 1, 1) }
        let index =
            hasLevels ? lists[list].add(task, level: level ?? 1) : lists[list].add(task)
        for var item in items {
            item.section = task.section
            lists[list].add(item, below: index)
        }
    }

    private static func named(_ column: String) -> String {
        column.isEmpty ? "a column without a name" : column
    }

    private static func isLabel(_ word: String) -> Bool {
        word.utf8.count > 1 && word.utf8.first == UInt8(ascii: "@")
    }

    private func cell(_ meaning: Meaning, _ fields: [String]) -> String {
        zip(header, fields).first { $0.0.meaning == meaning }?.1 ?? ""
    }

    private func cell(named name: String, _ fields: [String]) -> String {
        zip(header, fields).first { $0.0.name == name }?.1 ?? ""
    }

    /// The texts besides the title that are neither numbers nor states.
    private func others(in fields: [String]) -> [(name: String, text: String)] {
        zip(header, fields).compactMap { column, field in
            let text = field.trimmed
            return text.isEmpty || [.kind, .role(.title)].contains(column.meaning)
                || Double(text) != nil || TableWords.done(text) != nil
                ? nil : (Self.named(column.name), text)
        }
    }

    private mutating func listIndex(_ name: String) -> Int {
        if let index = listIndices[name] { return index }
        lists.append(
            SourceList(
                key: name.isEmpty ? nil : name, program: known?.program,
                title: name.isEmpty ? untitled : name))
        listIndices[name] = lists.count - 1
        return lists.count - 1
    }

    /// TickTick writes the items of a checklist as lines that begin with a square.
    private func checklist(_ text: String, of task: inout SourceTask) -> [SourceTask] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            guard let first = line.first, "▫▪".contains(first) else {
                task.addNote(line)
                return nil
            }
            var item = SourceTask(String(line.dropFirst()).trimmed, line: task.lines.lowerBound)
            item.done = first == "▪"
            return item
        }
    }

    /// The columns that are numbers in all programs whose titles can be without quotes.
    private static let numbers: [Meaning] = [.role(.priority), .role(.level)]

    private func fits(_ fields: [String]) -> Bool {
        fields.dropFirst(header.count).allSatisfy(\.trimmed.isEmpty)
            && zip(header, fields).allSatisfy { column, field in
                !Self.numbers.contains(column.meaning) || field.trimmed.isEmpty
                    || Int(field.trimmed) != nil
            }
    }

    /// The fields of a row with delimiters in its title. The column after it must be a number, so that
    /// its place is certain.
    private func joiningTitle(of fields: [String]) -> [String]? {
        guard let title = header.firstIndex(where: { $0.meaning == .role(.title) }),
            title + 1 < header.count, Self.numbers.contains(header[title + 1].meaning)
        else { return nil }
        for end in (title + 2...title + 1 + Self.maximumJoins) where end <= fields.count {
            let text = fields[title..<end].joined(separator: delimiter)
            let joined = Array(fields[..<title] + [text] + fields[end...])
            if fits(joined) { return joined }
        }
        return nil
    }
}
