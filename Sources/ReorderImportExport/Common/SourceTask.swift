import ReorderJSON

/// A task of another program's file.
struct SourceTask {
    var title: String
    var lines: ClosedRange<Int>
    /// The program's id of the task, and of its parent.
    var key: String?
    var parent: String?
    var section: String?
    /// The place among its siblings; equal ones keep the order of the file.
    var order = 0.0
    var done = false
    // The members of `data`. An empty value is treated as missing.
    var notes = ""
    var due = ""
    var labels: [String] = []
    /// 1 (highest) to 3.
    var priority: Int?
    var url = ""

    init(_ title: String = "", line: Int) {
        self.title = title
        lines = line...line
    }

    /// Adds a paragraph to the notes.
    mutating func addNote(_ text: String) {
        guard !text.isEmpty else { return }
        notes += (notes.isEmpty ? "" : "\n") + text
    }

    /// The task's `data`; nil without any. Texts that do not fit are shortened; the notes come
    /// last, so that they do not use the room of the other members.
    func data(_ remarks: inout ImportRemarks) -> String? {
        guard let data = encode(notes, due, labels, url) else { return nil }
        if data.utf8.count <= FormLimits.dataBytes { return data }
        var room = DataRoom()
        let due = room.fit(due, "the due date", lines, &remarks)
        let url = room.fit(url, "the URL", lines, &remarks)
        let labels = labels.map { room.fit($0, "a label", lines, &remarks) }.filter { !$0.isEmpty }
        return encode(room.fit(notes, "the notes", lines, &remarks), due, labels, url)
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

    private var bytes = FormLimits.dataBytes - memberBytes

    mutating func fit(
        _ text: String, _ what: String, _ lines: ClosedRange<Int>, _ remarks: inout ImportRemarks
    ) -> String {
        let kept = text.prefix(
            maximumBytes: max(0, bytes - Self.quoteBytes), size: \.jsonBytes)
        if kept != text {
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
