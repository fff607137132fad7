import ReorderEngine
import ReorderJSON

/// A file format for importing and exporting lists.
///
/// Each format can represent the order, nesting and titles of tasks and sections. This table shows
/// what else a format can represent:
///
/// | | json | markdown | todoist |
/// |---|---|---|---|
/// | ids of the list, its sections and tasks | yes | no | no |
/// | title of the list | yes | yes | no |
/// | `done` | yes | yes | no |
/// | `collapsed` | yes | no | yes |
/// | `data` of tasks | yes | no | the members for which Todoist has columns |
/// | `data` of sections, times | yes | no | no |
/// | `locked`, the list's settings | yes | no | no |
///
/// No format contains a list's versions and changes; only a backup of the store does.
package enum ListFileFormat: String, CaseIterable, Sendable {
    /// The list document, as returned by `GET /lists/:id`.
    case json
    /// A Markdown task list.
    case markdown
    /// The CSV file of Todoist's templates and backups.
    case todoist

    /// The names of the formats, for messages.
    package static var names: String {
        let names = allCases.map(\.rawValue)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    /// The format of a file by its name's extension, if known.
    package init?(fileName: String) {
        let ending = fileName.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
            .last?.lowercased()
        switch ending {
        case "json", "jsonl", "ndjson": self = .json
        case "md", "markdown": self = .markdown
        case "csv": self = .todoist
        default: return nil
        }
    }

    /// The extension of a file's name, without the dot.
    package var fileEnding: String {
        switch self {
        case .json: "json"
        case .markdown: "md"
        case .todoist: "csv"
        }
    }

    /// Whether a file can contain several lists.
    package var holdsSeveralLists: Bool { self == .json }

    /// Reads one list; nil if the file has no tasks and no headings, or is empty. O(its length).
    ///
    /// Markdown and CSV are UTF-8, or UTF-16 with a byte order mark. Content that a list can't
    /// represent, or that exceeds a limit of the server, is left out, shortened or changed, and
    /// reported. In JSON it is an error.
    ///
    /// - Parameters:
    ///   - firstLine: the line number of the first byte, for errors.
    ///   - title: the list's title, if the file has none.
    ///   - makeID: creates the ids of tasks and sections without one.
    /// - Throws: the error with its place in the file.
    package func read(
        _ bytes: [UInt8], firstLine: Int = 1, untitled title: String,
        makeID: @escaping () -> String
    ) throws(ImportError) -> ImportedList? {
        switch self {
        case .json:
            try JSONImport.read(bytes, firstLine: firstLine, makeID: makeID)
        case .markdown:
            try MarkdownReader.read(InputLines.utf8(bytes), untitled: title, makeID: makeID)
        case .todoist:
            try TodoistReader.read(InputLines.utf8(bytes), title: title, makeID: makeID)
        }
    }

    /// Writes one list, with a final line end. O(tasks).
    package func write(_ list: ReorderableList, id: String, version: Int) -> [UInt8] {
        switch self {
        case .json: ListDocument.json(id: id, version: version, of: list) + [Byte.lineFeed]
        case .markdown: MarkdownWriter.write(list)
        case .todoist: TodoistWriter.write(list)
        }
    }
}
