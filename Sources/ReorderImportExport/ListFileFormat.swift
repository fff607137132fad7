import ReorderEngine
import ReorderJSON

/// A file format for importing and exporting lists.
///
/// Each format can represent the order, nesting and titles of tasks. This table shows what else the
/// files that are written contain; the rest is left out:
///
/// | | json | markdown | todoist | csv | todotxt | opml | ics |
/// |---|---|---|---|---|---|---|---|
/// | ids of tasks | yes | no | no | yes | no | no | yes (5) |
/// | title of the list | yes | yes | no | no | no | yes | yes |
/// | sections | yes | yes | yes | yes | as labels (1) | yes | no |
/// | `done` | yes | yes | no | yes | yes | yes | yes |
/// | when it was done | yes | no | no | no | day | no | yes |
/// | `notes` | yes | no | yes | yes | no | yes | yes (6) |
/// | `due` | yes | no | yes | yes | day | yes | yes (7) |
/// | `labels` | yes | no | without spaces | yes (2) | yes (1) | yes (2) | yes |
/// | `priority` | yes | no | yes | yes | yes | yes | yes |
/// | `url` | yes | no | no | yes | no | yes | yes |
/// | other members of `data` | yes | no | no | no | no | no | no |
/// | `collapsed` | yes | no | yes | no | no | no | no |
/// | ids and `data` of sections, times, `locked`, settings | yes | no | no | no | no | no | no |
///
/// 1. A section is a project of each of its tasks (`+Work`), a label a context (`@phone`); an empty
///    section is left out. Spaces become `_`, and reading does not remove the mark.
/// 2. A comma or semicolon inside a label becomes a space.
/// 3. In csv, todotxt, opml and ics, control characters except tabs and line ends become U+FFFD.
///    Members of `data` in another form than `TaskData` of openapi.yaml are left out. A `due` loses
///    fractions of a second, and a line end inside a label becomes a space. In todotxt, a line end or
///    tab in a title becomes a space, spaces at its ends are left out, and a backslash stands before a
///    word that would have a meaning.
/// 4. Reading leaves out spaces at the ends of labels, and of the title of a list in opml. A file
///    without tasks and sections is no list, except in json and markdown.
/// 5. An id of less than 16 bytes is written with the list's, and is new after reading.
/// 6. In titles, too, all line ends become LF.
/// 7. A time with an offset becomes the same time in UTC.
///
/// Markdown has no `data`: below a task, notes would be any Markdown, whose lists would become
/// tasks.
///
/// No format contains a list's versions and changes; only a backup of the store does.
package enum ListFileFormat: String, CaseIterable, Sendable {
    /// The list document, as returned by `GET /lists/:id`.
    case json
    /// A Markdown task list.
    case markdown
    /// The CSV file of Todoist's templates and backups.
    case todoist
    /// Any table with a header, as CSV or TSV; `TableWriter` writes one.
    case csv
    // JSON of other programs. Only read.
    case trello
    case googleTasks = "google-tasks"
    case microsoftToDo = "microsoft-to-do"
    case vikunja
    case deck
    // Lines and outlines of other programs.
    case todoTxt = "todotxt"
    /// Only read.
    case taskPaper = "taskpaper"
    /// Only read.
    case org
    case opml
    case ics

    /// The formats that are written, too.
    package static let written: [ListFileFormat] = [
        .json, .markdown, .todoist, .csv, .todoTxt, .opml, .ics,
    ]

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
    ///   - keepsAuthors: whether a list document's authors count: they are those of no client.
    ///   - makeID: creates the ids of tasks and sections without one.
    /// - Throws: the error with its place in the file.
    package func read(
        _ bytes: [UInt8], firstLine: Int = 1, columns: TableColumns = TableColumns(),
        untitled title: String, keepsAuthors: Bool = false, makeID: @escaping () -> String
    ) throws(ImportError) -> [ImportedList] {
        if self == .json {
            return [
                try JSONImport.read(
                    bytes, firstLine: firstLine, keepsAuthors: keepsAuthors, makeID: makeID)
            ]
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
        case .csv: TableWriter.write(list)
        case .todoTxt: TodoTxtWriter.write(list)
        case .opml: OPMLWriter.write(list)
        case .ics: ICSWriter.write(list, id: id)
        default: nil
        }
    }
}
