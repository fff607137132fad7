import ReorderEngine

/// Reads a table with a header: each row is a task.
///
/// Columns without a meaning are reported. A column `list` makes a list of each of its values, a
/// column `section` a section.
struct TableReader {
    private let header: [String]
    private let indices: [TableRole: Int]
    private let known: KnownTable?
    private var lists: [SourceList] = []
    private var listIndices: [String: Int] = [:]
    /// The lines of the cells of each column that has no meaning.
    private var unused: [Int: (count: Int, lines: ClosedRange<Int>)] = [:]
    private var remarks = ImportRemarks()

    /// Programs write a few lines above the header.
    static let maximumPreamble = 16

    /// - Parameter columns: empty if the header decides.
    static func read(
        _ bytes: [UInt8], columns: TableColumns, untitled: String,
        makeID: @escaping () -> String
    ) throws(ImportError) -> [ImportedList] {
        _ = try InputLines(bytes)
        var records = CSVReader(InputLines.withoutByteOrderMark(bytes))
        var last: Int?
        guard let (line, header, known) = try header(&records, columns) else { return [] }
        var reader = try TableReader(header, known, columns, line: line)
        if line > 1 { reader.remarks.add(.leftOut, "text above the table", lines: 1...(line - 1)) }
        while let (line, fields) = try records.next() {
            guard fields.contains(where: { !$0.trimmed.isEmpty }) else { continue }
            let end = max(line, records.line - 1)
            try reader.read(fields, lines: line...end, untitled: untitled)
            last = end
        }
        return try reader.makeLists(lastLine: last ?? line, makeID: makeID)
    }

    /// The first record with more than one field, or the header of a known program after others.
    private static func header(
        _ records: inout CSVReader, _ columns: TableColumns
    ) throws(ImportError) -> (line: Int, fields: [String], known: KnownTable?)? {
        var first: (line: Int, fields: [String], known: KnownTable?)?
        var ahead = records
        for _ in 0..<maximumPreamble {
            guard let (line, fields) = try ahead.next() else { break }
            if let known = KnownTable.of(fields) {
                records = ahead
                return (line, fields, known)
            }
            guard first == nil, fields.contains(where: { !$0.trimmed.isEmpty }) else { continue }
            first = (line, fields, nil)
            records = ahead
        }
        return first
    }

    private init(
        _ header: [String], _ known: KnownTable?, _ columns: TableColumns, line: Int
    ) throws(ImportError) {
        self.header = header.map(\.trimmed)
        let isKnown = columns.names.isEmpty && known != nil
        self.known = isKnown ? known : nil
        let names = isKnown ? known?.columns ?? [:] : columns.names
        guard !names.isEmpty else {
            var error = ImportError(
                line: line, reason: "The table's columns are not known: \(Self.list(header)).")
            error.columns = TableColumns(proposedFor: self.header).options(in: self.header)
            throw error
        }
        var indices: [TableRole: Int] = [:]
        for (role, name) in names {
            let index =
                self.header.firstIndex { $0 == name.trimmed }
                ?? self.header.firstIndex { $0.lowercased() == name.trimmed.lowercased() }
            guard index != nil || isKnown else {
                throw ImportError(
                    line: line,
                    reason: "The table has no column \"\(name)\", only \(Self.list(header)).")
            }
            indices[role] = index
        }
        guard indices[.title] != nil else {
            throw ImportError(line: line, reason: "No column has the titles; name it with title=.")
        }
        self.indices = indices
    }

    private static func list(_ header: [String]) -> String {
        header.prefix(64).map { "\"\($0.trimmed.prefix(64))\"" }.joined(separator: ", ")
    }

    private mutating func read(
        _ fields: [String], lines: ClosedRange<Int>, untitled: String
    ) throws(ImportError) {
        guard fields.dropFirst(header.count).allSatisfy(\.trimmed.isEmpty) else {
            throw ImportError(
                line: lines.lowerBound,
                reason: "The row has \(fields.count) fields, but the header has \(header.count). "
                    + "A field that contains the delimiter must be in quotes.")
        }
        func cell(_ index: Int?) -> String {
            index.map { $0 < fields.count ? fields[$0] : "" } ?? ""
        }
        func cell(_ role: TableRole) -> String { cell(indices[role]).trimmed }
        func cell(named name: String) -> String { cell(header.firstIndex(of: name)) }
        let list = listIndex(cell(.list), untitled: untitled)
        if known?.hasSectionRows == true, cell(.level) == KnownTable.sectionLevel {
            return lists[list].beginSection(cell(indices[.section]), line: lines.lowerBound)
        }
        var task = SourceTask(cell(indices[.title]), line: lines.lowerBound)
        task.lines = lines
        task.key = cell(.id).isEmpty ? nil : cell(.id)
        task.parent = cell(.parent).isEmpty ? nil : cell(.parent)
        task.section = section(cell(.section), in: list, line: lines.lowerBound)
        task.url = cell(.url)
        task.labels = cell(.labels).separatedTexts
        task.order = number(cell(.order), "order", lines) ?? 0
        setDone(cell(.done), of: &task)
        setPriority(cell(.priority), of: &task)
        setDue(cell(.due), of: &task)
        if let allDay = known?.allDay, cell(named: allDay.flag).lowercased() == "true",
            let day = DueDate.day(of: cell(.due), in: cell(named: allDay.zone))
        {
            task.due = day
        }
        let isChecklist = known?.checklist.map { cell(named: $0) == "Y" } == true
        let items = isChecklist ? checklist(cell(indices[.notes]), of: &task) : []
        if !isChecklist { task.notes = cell(indices[.notes]) }
        for (index, name) in header.enumerated() where !indices.values.contains(index) {
            guard !cell(index).trimmed.isEmpty, known?.ignored.contains(name) != true else {
                continue
            }
            let old = unused[index]
            unused[index] = (
                (old?.count ?? 0) + 1,
                (old?.lines.lowerBound ?? lines.lowerBound)...lines.upperBound
            )
        }
        let index: Int
        if indices[.level] != nil {
            let level = number(cell(.level), "level", lines) ?? 1
            index = lists[list].add(task, level: Int(exactly: level.rounded()) ?? 1)
        } else {
            index = lists[list].add(task)
        }
        for item in items { lists[list].add(item, below: index) }
    }

    private mutating func listIndex(_ name: String, untitled: String) -> Int {
        if let index = listIndices[name] { return index }
        let isNamed = !name.isEmpty
        lists.append(SourceList(key: isNamed ? name : nil, title: isNamed ? name : untitled))
        listIndices[name] = lists.count - 1
        return lists.count - 1
    }

    private mutating func section(_ name: String, in list: Int, line: Int) -> String? {
        guard !name.isEmpty else { return nil }
        if let known = lists[list].sections.last(where: { $0.title.trimmed == name }) {
            return known.key
        }
        let key = "\(lists[list].sections.count)"
        lists[list].sections.append(SourceList.Section(key: key, title: name, line: line))
        return key
    }

    /// TickTick writes the items of a checklist as lines that begin with a square.
    private func checklist(_ text: String, of task: inout SourceTask) -> [SourceTask] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            guard let first = line.first, "▫▪".contains(first) else {
                task.addNote(String(line))
                return nil
            }
            var item = SourceTask(String(line.dropFirst()).trimmed, line: task.lines.lowerBound)
            item.section = task.section
            item.done = first == "▪"
            return item
        }
    }

    private mutating func setDone(_ word: String, of task: inout SourceTask) {
        let state = known?.done[word] ?? TableWords.done(word)
        task.done = state ?? false
        if known?.done[word] == nil, DueDate.parse(word) != nil {
            leaveOut("the date of completion", task)
        }
        if state == nil { leaveOut("the state \"\(word.prefix(64))\"", task) }
        if known != nil, word == "-1" {
            remarks.add(.changed, "a task that will not be done, to done", lines: task.lines)
        }
    }

    private mutating func setPriority(_ word: String, of task: inout SourceTask) {
        if let priority = known?.priorities[word] ?? TableWords.priority(word) {
            task.priority = priority
        } else {
            leaveOut("the priority \"\(word.prefix(64))\"", task)
        }
    }

    private mutating func setDue(_ text: String, of task: inout SourceTask) {
        guard !text.isEmpty else { return }
        task.due = DueDate.parse(text) ?? ""
        if task.due.isEmpty { leaveOut("the date \"\(text.prefix(64))\"", task) }
    }

    private mutating func leaveOut(_ what: String, _ task: SourceTask) {
        remarks.add(.leftOut, what, lines: task.lines)
    }

    private mutating func number(
        _ text: String, _ what: String, _ lines: ClosedRange<Int>
    ) -> Double? {
        let number = Double(text)
        if number == nil, !text.isEmpty {
            remarks.add(.leftOut, "the \(what) \"\(text.prefix(64))\"", lines: lines)
        }
        return number
    }

    private func makeLists(
        lastLine: Int, makeID: @escaping () -> String
    ) throws(ImportError) -> [ImportedList] {
        var lists = lists
        for (index, (count, lines)) in unused.sorted(by: { $0.key < $1.key }) where !lists.isEmpty {
            let name = header[index].isEmpty ? "without a name" : "\"\(header[index])\""
            let rows = count == 1 ? "1 row" : "\(count) rows"
            lists[0].leaveOut("the column \(name), in \(rows)", lines)
        }
        var made: [ImportedList] = []
        for (index, list) in lists.enumerated() {
            guard var imported = try list.makeList(makeID: makeID) else { continue }
            if index == 0 {
                imported.remarks = (remarks.inLineOrder + imported.remarks)
                    .sorted { Double($0.lines.lowerBound) }
            }
            made.append(imported)
        }
        return made
    }
}

extension String {
    /// The texts between commas and semicolons. A mark after one forms one character with it, so
    /// that this must not look at characters.
    var separatedTexts: [String] {
        unicodeScalars.split { $0 == "," || $0 == ";" }.map { String($0).trimmed }
            .filter { !$0.isEmpty }
    }
}
