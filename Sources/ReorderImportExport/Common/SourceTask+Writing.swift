import ReorderEngine
import ReorderJSON

extension SourceTask {
    /// A task to write, with the members of its `data` that programs share. Members of another form
    /// are left out.
    package init(_ content: TaskContent) {
        self.init(content.title.withoutControls, line: 1)
        done = content.done
        key = content.id
        guard let data = content.data, let text = try? JSONText(checking: Array(data.utf8)) else {
            return
        }
        var reader = JSONReader(text)
        guard (try? reader.beginObject()) != nil else { return }
        while let name = reader.nextMember() {
            switch name {
            case "notes": notes = reader.text.withoutControls
            case "due": due = DueDate.parse(reader.text) ?? ""
            case "url": url = Self.address(reader.text)
            case "priority":
                priority = (try? reader.readInt()).flatMap { 1...3 ~= $0 ? $0 : nil }
            case "labels":
                guard (try? reader.beginArray()) != nil else { break }
                labels = []
                while reader.nextElement() {
                    let label = reader.text.withoutControls.withSpaces(for: "\n\r")
                    if !label.isEmpty, !labels.contains(label) { labels.append(label) }
                }
            default: break
            }
        }
    }

    private static func address(_ text: String) -> String {
        let isAddress =
            ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
            && text.unicodeScalars.allSatisfy { $0 > " " && $0 != "\u{7F}" }
        return isAddress ? text.withoutControls : ""
    }

    /// The labels in one text, for formats that separate them. A separator inside a label becomes a
    /// space.
    func labels(separatedBy separator: String) -> String {
        labels.map { $0.withSpaces(for: ",;") }.filter { !$0.isEmpty }
            .joined(separator: separator)
    }
}

extension JSONReader {
    /// The next value if it is a string, otherwise an empty text.
    fileprivate var text: String {
        mutating get { (try? readString()) ?? "" }
    }
}

extension String {
    /// The parts between separators with a space between them, all without spaces at their ends.
    fileprivate func withSpaces(for separators: String) -> String {
        unicodeScalars.split { separators.unicodeScalars.contains($0) }
            .map { String($0).trimmed }.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// With U+FFFD for the characters that XML and iCalendar can't represent: all control
    /// characters except tabs and line ends.
    package var withoutControls: String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar {
            case "\t", "\n", "\r": false
            case "\0"..<" ", "\u{7F}", "\u{FFFE}", "\u{FFFF}": true
            default: false
            }
        }
        guard unicodeScalars.contains(where: isControl) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            text.unicodeScalars.append(isControl(scalar) ? "\u{FFFD}" : scalar)
        }
        return text
    }
}
