import ReorderEngine
import ReorderJSON

/// A form in which lists leave and enter a server.
///
/// What each can hold beside the order, nesting and titles of tasks and sections:
///
/// | | json | markdown | todoist |
/// |---|---|---|---|
/// | ids of the list, its sections and tasks | yes | no | no |
/// | title of the list | yes | yes | no |
/// | `done` | yes | yes | no |
/// | `collapsed` | yes | no | yes |
/// | `data` | yes | no | the members that Todoist has columns for |
/// | `locked`, the list's settings | yes | no | no |
///
/// No form carries a list's versions and changes: only a backup of the store does.
package enum TransferFormat: String, CaseIterable, Sendable {
    /// The list document, as `GET /lists/:id` gives it.
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

    /// The ending of a file's name, without the dot.
    package var fileEnding: String {
        switch self {
        case .json: "json"
        case .markdown: "md"
        case .todoist: "csv"
        }
    }

    /// Whether several lists can follow one another in one file.
    package var holdsSeveralLists: Bool { self == .json }

    /// Reads one list. O(its length).
    ///
    /// - Parameters:
    ///   - firstLine: the number of the bytes' first line, for errors.
    ///   - title: the list's title, if the format has none.
    ///   - makeID: makes the ids of tasks and sections that come without.
    /// - Throws: the error and its place in the file; exceeding a limit of the server is an error.
    package func read(
        _ bytes: [UInt8], firstLine: Int = 1, untitled title: String,
        makeID: @escaping () -> String
    ) throws(TransferError) -> ImportedList {
        switch self {
        case .json:
            try JSONImport.read(bytes, firstLine: firstLine, makeID: makeID)
        case .markdown:
            try MarkdownReader.read(bytes, untitled: title, makeID: makeID)
        case .todoist:
            try TodoistReader.read(bytes, title: title, makeID: makeID)
        }
    }

    /// Writes one list, with a line's end after it. O(tasks).
    package func write(_ list: ReorderableList, id: String, version: Int) -> [UInt8] {
        switch self {
        case .json: ListDocument.json(id: id, version: version, of: list) + [Byte.lineFeed]
        case .markdown: MarkdownWriter.write(list)
        case .todoist: TodoistWriter.write(list)
        }
    }
}

/// A list that was read from a file.
package struct ImportedList: Sendable {
    /// The id that the file gives to the list.
    package var id: String?
    package var list: ReorderableList
    /// Notes on skipped or changed content, in order.
    package var leftOut: [LeftOut]
    /// Whether a server had the list under this id: clients may have copies of it.
    package var isExport = false
}

/// Something in a file that a list can't hold, and that was left out.
package struct LeftOut: Sendable, Equatable {
    /// Counted from 1.
    package var lines: ClosedRange<Int>
    /// A phrase that describes it.
    package var what: String

    package init(lines: ClosedRange<Int>, what: String) {
        self.lines = lines
        self.what = what
    }
}

/// Why a file is not taken; then nothing of it is.
package struct TransferError: Error, Sendable, Equatable {
    /// Counted from 1; `nil` where it concerns the file as a whole.
    package var line: Int?
    /// The JSON Pointer of what is wrong, in a JSON document.
    package var pointer: String?
    /// The error, as a sentence.
    package var reason: String

    package init(line: Int? = nil, pointer: String? = nil, reason: String) {
        self.line = line
        self.pointer = pointer
        self.reason = reason
    }
}

/// The ASCII bytes that have a meaning in these forms.
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
