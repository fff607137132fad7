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
    /// Any table with a header, as CSV or TSV. Only read.
    case csv
    // JSON of other programs. Only read.
    case trello
    case googleTasks = "google-tasks"
    case microsoftToDo = "microsoft-to-do"
    case vikunja
    case deck
    // Lines and outlines of other programs. Only read.
    case todoTxt = "todotxt"
    case taskPaper = "taskpaper"
    case org
    case opml
    case ics

    /// The formats that are written, too.
    package static let written: [ListFileFormat] = [.json, .markdown, .todoist]

    /// The names of the formats, for messages.
    package static func names(_ formats: [ListFileFormat] = allCases) -> String {
        let names = formats.map(\.rawValue)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    /// The format of a file by its name's extension, if known.
    package init?(fileName: String) {
        let ending = fileName.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
            .last?.lowercased()
        switch ending {
        case "json", "jsonl", "ndjson": self = .json
        case "md", "markdown": self = .markdown
        case "csv", "tsv": self = .csv
        case "txt": self = .todoTxt
        case "taskpaper": self = .taskPaper
        case "org": self = .org
        case "opml": self = .opml
        case "ics", "ical": self = .ics
        default: return nil
        }
    }

    /// The extension of a file's name, without the dot.
    package var fileEnding: String {
        switch self {
        case .json, .trello, .googleTasks, .microsoftToDo, .vikunja, .deck: "json"
        case .markdown: "md"
        case .todoTxt: "txt"
        case .taskPaper, .org, .opml, .ics: rawValue
        case .todoist, .csv: "csv"
        }
    }

    /// Whether a file can contain several lists.
    package var holdsSeveralLists: Bool { self == .json }

    /// Reads the lists of a document; none if it has no tasks and no headings, or is empty.
    /// O(its length).
    ///
    /// All but JSON is UTF-8, or UTF-16 with a byte order mark. Content that a list can't
    /// represent, or that exceeds a limit of the server, is left out, shortened or changed, and
    /// reported. In JSON it is an error.
    ///
    /// - Parameters:
    ///   - firstLine: the line number of the first byte, for errors.
    ///   - columns: the columns of a table; empty if its header decides.
    ///   - title: the list's title, if the file has none.
    ///   - makeID: creates the ids of tasks and sections without one.
    /// - Throws: the error with its place in the file.
    package func read(
        _ bytes: [UInt8], firstLine: Int = 1, columns: TableColumns = TableColumns(),
        untitled title: String, makeID: @escaping () -> String
    ) throws(ImportError) -> [ImportedList] {
        if self == .json {
            return [try JSONImport.read(bytes, firstLine: firstLine, makeID: makeID)]
        }
        let bytes = try InputLines.utf8(bytes)
        if let program {
            return try JSONProgramReader.read(
                bytes, program, name: rawValue, untitled: title, makeID: makeID)
        }
        if self == .csv || self == .todoist {
            return try TableReader.read(bytes, columns: columns, untitled: title, makeID: makeID)
        }
        let list =
            switch self {
            case .markdown: try MarkdownReader.read(bytes, untitled: title, makeID: makeID)
            case .todoTxt: try TodoTxtReader.read(bytes, untitled: title, makeID: makeID)
            case .taskPaper: try TaskPaperReader.read(bytes, untitled: title, makeID: makeID)
            case .org: try OrgReader.read(bytes, untitled: title, makeID: makeID)
            case .opml: try OPMLReader.read(bytes, untitled: title, makeID: makeID)
            case .ics: try ICSReader.read(bytes, untitled: title, makeID: makeID)
            default: ImportedList?.none
            }
        return list.map { [$0] } ?? []
    }

    /// The paths of another program's JSON.
    private var program: JSONProgram? {
        switch self {
        case .trello: .trello
        case .googleTasks: .googleTasks
        case .microsoftToDo: .microsoftToDo
        case .vikunja: .vikunja
        case .deck: .deck
        default: nil
        }
    }

    /// Writes one list, with a final line end; nil if the format is only read. O(tasks).
    package func write(_ list: ReorderableList, id: String, version: Int) -> [UInt8]? {
        switch self {
        case .json: ListDocument.json(id: id, version: version, of: list) + [Byte.lineFeed]
        case .markdown: MarkdownWriter.write(list)
        case .todoist: TodoistWriter.write(list)
        default: nil
        }
    }
}
