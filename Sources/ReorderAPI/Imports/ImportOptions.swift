import MicroHTTP
import ReorderImportExport
import ReorderJSON

/// The query parameters of an import: what the options of `reorderd import` are for the command.
struct ImportOptions: Sendable {
    /// The maximum length of a file's name in bytes, as in file systems.
    static let maximumNameBytes = 255
    /// The maximum number of lists in a file.
    static let maximumLists = 1_000
    /// The maximum number of lines of a file. Each can be a task, which takes a few hundred bytes while the
    /// file is read, so a file of short lines would take much more memory than its bytes.
    static let maximumLines = 1_000_000
    /// The number of bytes by which a format is recognized.
    private static let recognizedBytes = 1 << 20

    private let name: String?
    private let format: ListFileFormat?
    private let title: String?
    private let list: String?
    private let columns: TableColumns
    let replaces: Bool
    let isDryRun: Bool

    init(_ request: Request) throws(Problem) {
        name = try request.text("name", maximumBytes: Self.maximumNameBytes)
        title = try request.text("title", maximumBytes: FormLimits.titleBytes)
        list = request.query["list"]
        if let list, !Identifier.isValid(list) {
            throw Problem(.invalidQuery, "The parameter list is not an id. \(Identifier.rule)")
        }
        columns = try request.columns()
        // Columns are of a table.
        format = try request.fileFormat() ?? (columns.names.isEmpty ? nil : .csv)
        replaces = try request.flag("replace")
        isDryRun = try request.flag("dryRun")
    }

    /// A list of a file, with its id in the store.
    typealias Target = (id: String, imported: ImportedList)

    /// Reads the lists of a file. O(its length).
    func read(
        _ bytes: [UInt8], makeID: @escaping () -> String
    ) throws(Problem) -> (format: ListFileFormat, lists: [Target]) {
        let known =
            format
            ?? ListFileFormat(
                recognizing: Array(bytes.prefix(Self.recognizedBytes)), fileName: name ?? "")
        guard let format = known else { throw .unknownFormat }
        // Windows ends lines with both.
        let lineEnds = "\n\r".utf8.map { end in bytes.count { $0 == end } }.max() ?? 0
        guard lineEnds <= Self.maximumLines else { throw .tooManyLines }
        let fileName = ImportedFileName(name)
        let untitled = title ?? fileName.title(in: format)
        var lists: [Target] = []
        func add(_ document: [UInt8], _ firstLine: Int) throws(Problem) {
            do throws(ImportError) {
                lists += try format.read(
                    document, firstLine: firstLine, columns: columns, untitled: untitled,
                    makeID: makeID
                ).map { (list ?? fileName.id(of: $0, in: document), $0) }
            } catch {
                throw Problem(error)
            }
            guard lists.count <= Self.maximumLists else { throw .tooManyLists }
        }
        if format.holdsSeveralLists {
            var rest = bytes
            var documents = JSONDocuments {
                defer { rest = [] }
                return rest
            }
            // Reading from memory does not fail.
            while let (line, document) = try? documents.next() { try add(document, line) }
        } else {
            try add(bytes, 1)
        }
        guard !lists.isEmpty else { throw .nothingToImport }
        return (format, lists)
    }
}

extension Request {
    /// A file's format; nil if it is not named.
    ///
    /// - Parameter formats: those that are possible.
    func fileFormat(
        among formats: [ListFileFormat] = ListFileFormat.allCases
    ) throws(Problem) -> ListFileFormat? {
        guard let name = query["format"] else { return nil }
        guard let format = ListFileFormat(rawValue: name), formats.contains(format) else {
            throw Problem(
                .invalidQuery,
                "The parameter format must be \(ListFileFormat.names(formats)).")
        }
        return format
    }

    fileprivate func text(_ name: String, maximumBytes: Int) throws(Problem) -> String? {
        guard let text = query[name] else { return nil }
        guard (1...maximumBytes).contains(text.utf8.count) else {
            throw Problem(
                .invalidQuery,
                "The parameter \(name) must have 1 to \(maximumBytes) bytes of UTF-8.")
        }
        return text
    }

    fileprivate func columns() throws(Problem) -> TableColumns {
        var columns = TableColumns()
        for (name, value) in query.pairs where name == "column" && !columns.add(value) {
            let roles = TableRole.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(
                .invalidQuery,
                "Each parameter column must be one of \(roles), each once, with a column's name: "
                    + "title=Task.")
        }
        return columns
    }
}

extension Problem {
    /// The detail names the line, and the pointer begins at the document of the list.
    fileprivate init(_ error: ImportError) {
        self.init(.invalidBody, error.reason, pointer: error.pointer)
        if let pointer, !pointer.isEmpty { detail = "\(pointer): \(detail)" }
        if let line = error.line { name(line: line) }
        (header, columns) = (error.header, error.columns)
    }

    fileprivate static var unknownFormat: Problem {
        Problem(
            .invalidBody,
            "The file's format is unknown. Name it with format: \(ListFileFormat.names()).")
    }

    fileprivate static var nothingToImport: Problem {
        Problem(.invalidBody, "The file contains no tasks and no headings.")
    }

    fileprivate static var tooManyLines: Problem {
        Problem(
            .invalidBody,
            "Divide the file. It has more than \(ImportOptions.maximumLines) line ends, the maximum."
        )
    }

    fileprivate static var tooManyLists: Problem {
        Problem(
            .invalidBody,
            "Divide the file. It has more than \(ImportOptions.maximumLists) lists, the maximum.")
    }
}
