import ArgumentParser
import Dispatch
import Foundation
import ReorderAPI
import ReorderJSON
import ReorderService
import ReorderImportExport
import Synchronization

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create lists from files.",
        discussion: """
            Works on a file store that no server has open, or on a store in PostgreSQL while \
            servers use it. To import into a running server, send the file: curl --data-binary \
            @FILE "http://HOST:PORT/imports?name=FILE" (add &replace=true to replace lists).

            The format is recognized by the content.

            json: one or more list documents as GET /lists/ID returns them; ids are kept. \
            markdown: task lists. The first # heading is the list's title, each other heading is a \
            section, each bullet is a task, [x] means done; other text is left out and reported. \
            todoist: the CSV files of its templates and backups. csv: TickTick's file, or a table whose columns \
            --column names; without it, columns are proposed and nothing is imported. trello, \
            google-tasks, microsoft-to-do, vikunja, deck: JSON that these programs export. todotxt, \
            taskpaper, org, opml, ics: files of that form. Notes, dates, labels, priorities \
            and URLs go to "data". What is left out, shortened or changed is reported with its line \
            number.

            A list's id is its id in the file, or its name if the file has several. Without one, it \
            is the file's name without its extension. For files of a program, the program's name \
            comes first. If that is not a valid id, the id is made from the name, and is the same in \
            each import. The id of a list from standard input is made from its content.

            An existing list with the same content stays unchanged. A list with other content is \
            replaced only with --replace, and its versions continue. Except for json, only the \
            content that such a file can represent is compared, without ids. Ids that a json file \
            does not have are not compared.

            All files are checked first. If one of them is invalid, nothing is written. A file \
            without tasks and headings is left out and reported.

            Exit codes: 0; 64 for wrong arguments; 65 if a file is invalid or no file contains a \
            list; 66 if a file can't be read; 73 if the store can't be opened; 74 if reading or \
            writing fails.
            """)

    @Option(
        help:
            "The store: file:PATH, created if it does not exist (default: file:reorderd.db), or postgres://…",
        transform: StoreLocation.init(option:))
    var store = StoreLocation.standard

    @Argument(help: "The files; - is standard input.")
    var files: [String]

    @Option(
        help:
            "\(ListFileFormat.names()). Default: by each file's content, and by its extension if that is not certain."
    )
    var format: ListFileFormat?

    @Option(
        name: .customLong("column"),
        help: ArgumentHelp(
            "A column of a table: title=NAME, or notes, list, section, id, parent, level, order, done, due, labels, priority or url.",
            valueName: "meaning=name"))
    var columnOptions: [String] = []

    @Option(help: "The list's id. Allowed only for one file with one list.")
    var id: String?

    @Option(help: "The list's title if the file has none.")
    var title: String?

    @Flag(help: "Replace existing lists.")
    var replace = false

    func validate() throws {
        if let id {
            guard files.count == 1 else { throw ValidationError("--id needs exactly one file.") }
            guard Identifier.isValid(id) else { throw ValidationError(Identifier.rule) }
        }
        if let title, title.utf8.count > FormLimits.titleBytes {
            throw ValidationError(
                "A title must have at most \(FormLimits.titleBytes) bytes of UTF-8.")
        }
        if case .memory = store {
            throw ValidationError(
                "A store in memory would be lost when the command ends; name a file:PATH.")
        }
        _ = try columns()
        guard files.count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("Standard input can be read only once.")
        }
    }

    private func columns() throws -> TableColumns {
        var columns = TableColumns()
        for option in columnOptions where !columns.add(option) {
            let roles = TableRole.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError(
                "--column \(option) must be one of \(roles), each once, with a column's name: title=Task."
            )
        }
        return columns
    }

    func run() throws {
        // Columns are of a table.
        let format = format ?? (columnOptions.isEmpty ? nil : .csv)
        let sources = try files.map { try ImportSource($0, format: format) }
        // A new file is created only when everything has been checked.
        let isNew = isNewFile
        var offline = try OfflineStore(isNew ? .memory : store, mustExist: false)
        var plan = ImportPlan(replaces: replace)
        let report = ImportReport()
        try forEachList(in: sources, report.refuse, report.skip) { source, id, imported in
            for remark in imported.remarks { report.add(remark, in: source) }
            let current = try offline.list(id)
            do throws(ImportRefusal) {
                _ = try plan.add(
                    imported, id: id, from: source.format, over: current, offline.service)
            } catch {
                report.refuse(source, error, offline)
            }
        }
        guard report.refusals == 0, !plan.isEmpty else {
            try offline.close()
            throw failure("nothing was imported", EX_DATAERR)
        }
        if isNew {
            try offline.close()
            offline = try OfflineStore(store, mustExist: false)
        }
        let writes = ImportWriter(offline: offline)
        try forEachList(in: sources, report.refuse, { _ in }) { _, id, imported in
            if let (action, precondition) = plan.write(of: imported.list, id: id) {
                try writes.write(
                    WriteRequest(list: id, action: action, precondition: precondition),
                    count: imported.list.count)
            } else {
                writes.reportUnchanged(id)
            }
        }
        try writes.finish()
        try offline.close()
        guard report.refusals == 0 else { throw ExitCode(EX_DATAERR) }
    }

    private var isNewFile: Bool {
        if case .file(let path) = store {
            !FileManager.default.fileExists(atPath: path)
        } else {
            false
        }
    }

    /// Reads every list of every file. The error of an invalid list is passed to `refuse`, and a
    /// file without a list to `skip`.
    private func forEachList(
        in sources: [ImportSource], _ refuse: (ImportSource, ImportError) -> Void,
        _ skip: (ImportSource) -> Void, _ body: (ImportSource, String, ImportedList) throws -> Void
    ) throws {
        var progress = ProgressLine()
        var count = 0
        for source in sources {
            var isEmpty = true
            let columns = try columns()
            try source.forEachBatch { documents in
                for (document, result) in zip(documents, read(documents, of: source, columns)) {
                    switch result {
                    case .failure(let error):
                        isEmpty = false
                        refuse(source, error)
                    case .success(let lists):
                        for list in lists {
                            isEmpty = false
                            count += 1
                            progress.show("\(count) lists, \(source.name)")
                            let name = source.fileName
                            try body(source, id ?? name.id(of: list, in: document.bytes), list)
                        }
                    }
                }
            }
            if isEmpty { skip(source) }
        }
        progress.end()
    }

    /// Reads the lists of documents, on all processors.
    private func read(
        _ documents: [ImportSource.Document], of source: ImportSource, _ columns: TableColumns
    ) -> [Result<[ImportedList], ImportError>] {
        let (format, untitled) = (source.format, title ?? source.fileName.title(in: source.format))
        let results = Mutex<[Result<[ImportedList], ImportError>?]>(
            Array(repeating: nil, count: documents.count))
        DispatchQueue.concurrentPerform(iterations: documents.count) { index in
            let document = documents[index]
            let result = Result<[ImportedList], ImportError> { () throws(ImportError) in
                try format.read(
                    document.bytes, firstLine: document.line, columns: columns,
                    untitled: untitled, keepsAuthors: true, makeID: UUIDv7.make)
            }
            results.withLock { $0[index] = result }
        }
        return results.withLock { $0.compactMap(\.self) }
    }
}
