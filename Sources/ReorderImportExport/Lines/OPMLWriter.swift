import ReorderEngine

/// Writes a list as OPML 2.0: a section is an outline of the type `section`, with its tasks inside.
///
/// Done tasks have the attributes of Workflowy, Dynalist and OmniOutliner. `category` is OPML's
/// own; other programs ignore `due` and `priority`.
enum OPMLWriter {
    static func write(_ list: ReorderableList) -> [UInt8] {
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n"
        xml += "<head><title>\(escape(list.settings.title))</title></head>\n<body>\n"
        // The outlines that are not closed.
        var open = 0
        var isInSection = false
        func close(to depth: Int) {
            while open > depth {
                open -= 1
                xml += String(repeating: "  ", count: open) + "</outline>\n"
            }
        }
        func begin(_ attributes: [(String, String)], isEmpty: Bool) {
            xml += String(repeating: "  ", count: open) + "<outline"
            for (name, value) in attributes where name == "text" || !value.isEmpty {
                xml += " \(name)=\"\(escape(value))\""
            }
            xml += isEmpty ? "/>\n" : ">\n"
            if !isEmpty { open += 1 }
        }
        list.forEachLine { line in
            switch line {
            case .section(let section):
                close(to: 0)
                isInSection = true
                begin([("text", section.title), ("type", sectionType)], isEmpty: false)
            case .task(let task):
                close(to: task.depth + (isInSection ? 1 : 0))
                begin(attributes(of: SourceTask(task.content)), isEmpty: task.subtasks == 0)
            }
        }
        close(to: 0)
        return Array((xml + "</body>\n</opml>\n").utf8)
    }

    static let sectionType = "section"

    private static func attributes(of task: SourceTask) -> [(String, String)] {
        let done = task.done ? "true" : ""
        return [
            ("text", task.title), ("_note", task.notes), ("_complete", done), ("complete", done),
            ("_status", task.done ? "checked" : ""), ("due", task.due),
            ("priority", task.priority.map(String.init) ?? ""),
            ("category", task.labels(separatedBy: ",")), ("url", task.url),
        ]
    }

    /// For an attribute or a text. Line ends and tabs in attributes are only kept as references.
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.withoutControls.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n", "\r", "\t": escaped += "&#\(scalar.value);"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
