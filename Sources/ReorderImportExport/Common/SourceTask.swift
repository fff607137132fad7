import ReorderJSON

/// A task of another program's file.
package struct SourceTask {
    package var title: String
    var lines: ClosedRange<Int>
    /// The program's id of the task, and of its parent.
    var key: String?
    var parent: String?
    var section: String?
    /// The place among its siblings; equal ones keep the order of the file.
    var order = 0.0
    var done = false
    var collapsed = false
    // The members of `data`. An empty value is treated as missing.
    package var notes = ""
    package var due = ""
    package var labels: [String] = []
    /// 1 (highest) to 3.
    package var priority: Int?
    package var url = ""
    /// The lines of the file below the task, which are notes, too.
    private var noteLines: [String] = []
    private var lastNoteLine = 0
    /// The names of its properties that are not in the list.
    var leftOut: [String] = []

    init(_ title: String = "", line: Int) {
        self.title = title
        lines = line...line
    }

    /// Adds lines to the notes.
    mutating func addNote(_ text: some StringProtocol) {
        guard !text.isEmpty else { return }
        notes += (notes.isEmpty ? "" : "\n") + text
    }

    /// Adds a text of lines of the file below the task.
    mutating func addNote(_ text: String, lines: ClosedRange<Int>) {
        noteLines.append(text)
        lastNoteLine = lines.upperBound
    }

    // `labels` in `TaskData` of openapi.yaml.
    private static let maximumLabels = 20
    private static let maximumLabelLength = 60

    mutating func addLabel(_ text: some StringProtocol) {
        let label = String(text).trimmed
        guard !label.isEmpty, !labels.contains(label) else { return }
        if labels.count < Self.maximumLabels, label.count <= Self.maximumLabelLength {
            labels.append(label)
        } else {
            addNote("label: \(label)")
        }
    }

    /// Sets what a property of the file means. A text that has another form, and a second one, become
    /// a line of the notes.
    ///
    /// - Parameters:
    ///   - name: the property's name in the file.
    ///   - words: the program's words for those of `TableWords`.
    mutating func set(_ role: TableRole, _ text: String, name: String, words: ProgramWords = [:]) {
        let text = role == .notes || role == .title ? text : text.trimmed
        guard !text.isEmpty else { return }
        let word = words[role]?[text] ?? text
        switch role {
        case .title where title.isEmpty: title = text
        case .title where title == text: break
        case .notes: addNote(text)
        case .labels: text.separatedTexts.forEach { addLabel($0) }
        case .id where key == nil: key = text
        case .parent where parent == nil: parent = text
        case .id, .parent: leftOut.append(name)
        case .order where Double(text)?.isFinite == true: order = Double(text) ?? 0
        case .done: setDone(word, name)
        case .collapsed where TableWords.done(text) != nil:
            collapsed = TableWords.done(text) == true
        case .priority where priority == nil && TableWords.priority(word) != nil:
            priority = TableWords.priority(word) ?? nil
        case .url where url.isEmpty && Self.isAddress(text): url = text
        case .due where text.hasPrefix(DueDate.none): break
        case .due where !due.isEmpty && DueDate.parse(text) == due: break
        case .due where due.isEmpty && DueDate.parse(text) != nil: due = DueDate.parse(text) ?? ""
        default: addNote("\(name): \(text)")
        }
    }

    private mutating func setDone(_ word: String, _ name: String) {
        switch TableWords.done(word) {
        case let state?: done = done || state
        case nil where DueDate.parse(word) != nil:
            done = true
            leftOut.append("the time of completion")
        case nil where TableWords.cancelled.contains(word.lowercased()):
            done = true
            addLabel(word)
        default: addNote("\(name): \(word)")
        }
    }

    package static func isAddress(_ text: String) -> Bool {
        ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
            && text.unicodeScalars.allSatisfy { $0 > " " && $0 != "\u{7F}" }
    }

    /// The task's `data`; nil without any. Texts that do not fit are shortened; the notes come
    /// last, so that they do not use the room of the other members.
    func data(_ remarks: inout ImportRemarks) -> String? {
        let notes = allNotes
        guard let data = encode(notes, due, labels, url) else { return nil }
        if data.utf8.count <= FormLimits.dataBytes { return data }
        var room = DataRoom(lines: lines.lowerBound...max(lines.upperBound, lastNoteLine))
        let due = room.fit(due, "the due date", &remarks)
        let url = room.fit(url, "the URL", &remarks)
        let labels = labels.map { room.fit($0, "a label", &remarks) }.filter { !$0.isEmpty }
        return encode(room.fit(notes, "the notes", &remarks), due, labels, url)
    }

    /// The notes and the lines below the task, without their common indentation and without blank
    /// lines around them.
    private var allNotes: String {
        func isBlank(_ line: String) -> Bool { line.trimmed.isEmpty }
        let lines = noteLines.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        let indent =
            lines.filter { !isBlank($0) }
            .map { $0.utf8.prefix(while: Byte.isBlank).count }.min() ?? 0
        let texts = lines.map { String(decoding: $0.utf8.dropFirst(indent), as: UTF8.self) }
        return ((notes.isEmpty ? [] : [notes]) + texts).joined(separator: "\n")
    }

    private func encode(
        _ notes: String, _ due: String, _ labels: [String], _ url: String
    ) -> String? {
        guard !notes.isEmpty || !due.isEmpty || !labels.isEmpty || !url.isEmpty || priority != nil
        else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        for (name, text) in [("notes", notes), ("due", due), ("url", url)] where !text.isEmpty {
            writer.name(escaping: name)
            writer.string(text)
        }
        if let priority {
            writer.name("priority")
            writer.int(priority)
        }
        if !labels.isEmpty {
            writer.name("labels")
            writer.beginArray()
            for label in labels { writer.string(label) }
            writer.endArray()
        }
        writer.endObject()
        return writer.bytes[...].text
    }
}

/// The part of a task's `data` that is not yet used.
private struct DataRoom {
    /// The quotes, names and commas of all members except the labels have fewer bytes than this.
    private static let memberBytes = 80
    private static let quoteBytes = 3

    let lines: ClosedRange<Int>
    private var bytes = FormLimits.dataBytes - memberBytes

    init(lines: ClosedRange<Int>) { self.lines = lines }

    mutating func fit(_ text: String, _ what: String, _ remarks: inout ImportRemarks) -> String {
        let kept = text.prefix(
            maximumBytes: max(0, bytes - Self.quoteBytes), size: \.jsonBytes)
        if kept.utf8.count != text.utf8.count {
            remarks.add(
                kept.isEmpty ? .leftOut : .shortened,
                "\(what), because a task's data has at most \(FormLimits.dataBytes) bytes",
                lines: lines)
        }
        if !kept.isEmpty {
            bytes -= Self.quoteBytes + kept.unicodeScalars.reduce(0) { $0 + $1.jsonBytes }
        }
        return kept
    }
}

extension Unicode.Scalar {
    /// The maximum number of bytes that JSON needs for it.
    fileprivate var jsonBytes: Int {
        switch self {
        case "\"", "\\", "\n", "\r", "\t": 2
        case "\0"..<" ": 6
        default: UTF8.width(self)
        }
    }
}
