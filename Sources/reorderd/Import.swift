import ArgumentParser
import Foundation
import ReorderAPI
import ReorderJSON
import ReorderService
import ReorderTransfer

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make lists of files.",
        discussion: """
            Works on a file that no server has open, or in PostgreSQL beside servers. To a running \
            server send a list document: curl -X PUT http://HOST:PORT/lists/ID \
            -H 'Content-Type: application/json' -d @FILE \
            (with -H 'If-Match: "VERSION"' where it replaces a list).

            json: list documents as GET /lists/ID gives them, one or several after another; ids are \
            kept. markdown: task lists; the first # heading is the list's title, each other heading \
            a section, each bullet a task, [x] means done; other text is left out, and told. todoist: \
            the CSV files of its templates and backups; descriptions, dates, priorities and notes go \
            into a task's "data".

            A list's id is the document's, else the file's name without its ending where that can be \
            an id, else a new one. A list that is there already with the same content stays as it is; \
            with another content it is replaced only with --replace, and its versions count on. Of \
            markdown and todoist the content is what such a file can hold, without ids.

            Where the documents are an export (they have a "version") and the file store has no list yet, \
            clients are told to fetch their lists again, as after a restore. In PostgreSQL \
            "reorderd migrate --new-epoch" does that.

            All files are checked first: where one of them can't be taken, nothing is written.

            Exit codes: 0; 64 for wrong arguments; 65 where a file can't be taken; 66 where there is \
            no such file; 73 where the store can't be opened; 74 where reading or writing fails.
            """)

    @Option(
        help:
            "Where the lists are kept: file:PATH, made if not there (file:reorderd.db by default), or postgres://…",
        transform: StoreLocation.init(option:))
    var store = StoreLocation.file(path: "reorderd.db")

    @Argument(help: "The files; - is standard input.")
    var files: [String]

    @Option(help: "json, markdown or todoist. By default what each file's name ends with.")
    var format: TransferFormat?

    @Option(help: "The list's id; for a file with one list.")
    var id: String?

    @Option(help: "The list's title, where the file holds none.")
    var title: String?

    @Flag(help: "Replace lists that are there already.")
    var replace = false

    func validate() throws {
        if let id {
            guard files.count == 1 else { throw ValidationError("--id is for one file.") }
            guard Identifier.isValid(id) else { throw ValidationError(Identifier.rule) }
        }
        if case .memory = store {
            throw ValidationError("A store in memory ends with the command: name a file:PATH.")
        }
        for file in files where format == nil && TransferFormat(fileName: file) == nil {
            throw ValidationError("\(file): say which --format it has.")
        }
        guard files.count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("Standard input can be read once.")
        }
    }

    func run() throws {
        let sources = try files.map { file in
            try ImportSource(file, format: format ?? TransferFormat(fileName: file) ?? .json)
        }
        // A file that is not there is made only once everything has been checked.
        let isNew = isNewFile
        var offline = try OfflineStore(isNew ? .memory : store, mustExist: false)
        let isEmptyStore = try offline.isEmpty()
        var hasExports = false
        let plan = ImportPlan(replaces: replace)
        try forEachList(in: sources, plan.refuse) { source, imported in
            hasExports = hasExports || imported.isExport
            for leftOut in imported.leftOut { plan.tell(leftOut, in: source) }
            try plan.check(
                imported.list, id: targetID(of: imported, in: source), in: source, offline)
        }
        guard plan.refusals == 0 else {
            try offline.close()
            throw failure("nothing was imported", EX_DATAERR)
        }
        if isNew {
            try offline.close()
            offline = try OfflineStore(store, mustExist: false)
        }
        // The lists' versions begin again, under ids of which clients may have copies.
        if isEmptyStore, hasExports { try offline.beginEpoch() }
        let writes = ImportWrites(offline: offline)
        try forEachList(in: sources, plan.refuse) { source, imported in
            let id = targetID(of: imported, in: source)
            if let request = try plan.request(
                for: imported.list, id: id, format: source.format, offline)
            {
                try writes.write(request, count: imported.list.count)
            } else {
                writes.tellUnchanged(id)
            }
        }
        try writes.finish()
        try offline.close()
        guard plan.refusals == 0 else { throw ExitCode(EX_DATAERR) }
    }

    private var isNewFile: Bool {
        if case .file(let path) = store {
            !FileManager.default.fileExists(atPath: path)
        } else {
            false
        }
    }

    /// Reads every list of every file; one that can't be taken is given to `refuse`.
    private func forEachList(
        in sources: [ImportSource], _ refuse: (ImportSource, TransferError) -> Void,
        _ body: (ImportSource, ImportedList) throws -> Void
    ) throws {
        var progress = Progress()
        var count = 0
        for source in sources {
            var isEmpty = true
            try source.forEachDocument { line, bytes in
                isEmpty = false
                let imported: ImportedList
                do throws(TransferError) {
                    imported = try source.format.read(
                        bytes, firstLine: line, untitled: title ?? source.title,
                        makeID: UUIDv7.make)
                } catch {
                    return refuse(source, error)
                }
                count += 1
                progress.tell("\(count) lists, \(source.name)")
                try body(source, imported)
            }
            if isEmpty { refuse(source, TransferError(reason: "There is no list in it.")) }
        }
        progress.end()
    }

    private func targetID(of imported: ImportedList, in source: ImportSource) -> String {
        if let id = id ?? imported.id { return id }
        if let stem = source.stem, Identifier.isValid(stem) { return stem }
        return UUIDv7.make()
    }
}
