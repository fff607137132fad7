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

/// A list read from a file.
package struct ImportedList: Sendable {
    /// The list's id in the file.
    package var id: String?
    package var list: ReorderableList
    /// In the order of their lines.
    package var remarks: [ImportRemark] = []
}

/// Why a file is rejected as a whole.
package struct ImportError: Error, Sendable, Equatable {
    /// Numbered from 1; nil if the error concerns the whole file.
    package var line: Int?
    /// The JSON Pointer of the error in a JSON document.
    package var pointer: String?
    /// The error, as a sentence.
    package var reason: String

    package init(line: Int? = nil, pointer: String? = nil, reason: String) {
        self.line = line
        self.pointer = pointer
        self.reason = reason
    }
}

/// The ASCII bytes with a meaning in these formats.
enum Byte {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let backtick = UInt8(ascii: "`")
    static let ampersand = UInt8(ascii: "&")
    static let numberSign = UInt8(ascii: "#")
    static let hyphen = UInt8(ascii: "-")

    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}

extension ArraySlice<UInt8> {
    /// Without spaces and tabs at both ends.
    var trimmed: ArraySlice<UInt8> {
        let start = drop(while: Byte.isBlank)
        guard let last = start.lastIndex(where: { !Byte.isBlank($0) }) else { return [] }
        return start[...last]
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}
