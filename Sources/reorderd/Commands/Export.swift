import ArgumentParser
import Foundation
import ReorderService
import ReorderStore
import ReorderImportExport

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write lists to files or to standard output.",
        discussion: """
            Works on a file store that no server has open, or on a store in PostgreSQL while \
            servers use it. To export from a running server: curl \
            http://HOST:PORT/lists/ID/export?format=FORMAT.

            All lists are written in their state at one moment.

            Several lists can be written as JSON to one file or to standard output, one list per \
            line. In any format they can be written to a directory, one file per list, which is \
            named after the list's id. Each existing file is replaced atomically.

            Content that a format can't represent is left out. All have titles, order and \
            nesting, and all except todoist have "done". csv, opml and ics have "notes", "due", \
            "labels", "priority" and "url" of "data", todotxt the day of "due", "labels" and \
            "priority". All except ics have sections; todotxt has them as labels. json has \
            everything except the history. Only "reorderd backup" copies the history.

            A list that can't be read is left out, and named on standard error. The others are \
            written.

            Exit codes: 0; 64 for wrong arguments; 65 if lists were left out; 66 if the store or a list does not exist; 73 if \
            the store can't be opened or a file can't be created; 74 if reading or writing fails.
            """)

    @Option(
        help: "The store: file:PATH (default: file:reorderd.db), or postgres://…",
        transform: StoreLocation.init(option:))
    var store = StoreLocation.standard

    @Argument(help: "The lists' ids.")
    var lists: [String] = []

    @Flag(help: "All lists.")
    var all = false

    @Option(
        help:
            "\(ListFileFormat.names(ListFileFormat.written)). Default: by the file's extension, else json."
    )
    var format: ListFileFormat?

    @Option(
        name: [.short, .long],
        help: "A file, or a directory (an existing one, or a path that ends with \"/\").")
    var output = "-"

    func validate() throws {
        guard all != !lists.isEmpty else {
            throw ValidationError("Name the lists to export, or give --all.")
        }
        guard ListFileFormat.written.contains(effectiveFormat) else {
            throw ValidationError("\(effectiveFormat.rawValue) is only imported.")
        }
        guard isDirectory || effectiveFormat.holdsSeveralLists || lists.count == 1 else {
            throw ValidationError(
                "A \(effectiveFormat.rawValue) file contains one list; "
                    + "to export several, set --output to a directory.")
        }
    }

    func run() throws {
        let offline = try OfflineStore(store, mustExist: true, isSnapshot: true)
        // Checked before anything is written.
        for id in lists {
            var isUnreadable = false
            let list = try offline.list(id) { _ in isUnreadable = true }
            guard list != nil || isUnreadable else {
                throw failure("the list \"\(id)\" does not exist", EX_NOINPUT)
            }
        }
        let output = try makeOutput()
        var progress = ProgressLine()
        var count = 0
        var leftOut = 0
        func write(_ id: String) throws {
            let snapshot = try offline.list(id) { reason in
                leftOut += 1
                _ = failure("list \(id) is left out: \(reason)", EX_DATAERR)
            }
            guard let snapshot else { return }
            let bytes = effectiveFormat.write(snapshot.list, id: id, version: snapshot.version)
            try output.write(bytes ?? [], fileName: "\(id).\(effectiveFormat.fileEnding)")
            count += 1
            progress.show("exported \(count) lists")
        }
        if all {
            try forEachList(in: offline.store, write)
        } else {
            try lists.forEach(write)
        }
        try output.finish()
        progress.end()
        try offline.close()
        guard leftOut == 0 else {
            throw failure("\(leftOut) of \(count + leftOut) lists were left out", EX_DATAERR)
        }
    }

    private func forEachList(in store: any ListStore, _ body: (String) throws -> Void) throws {
        var last: String?
        repeat {
            let page: [IndexedList]
            do {
                page = try store.summaries(after: last, limit: 1_000)
            } catch {
                throw failure(error.reason, EX_IOERR)
            }
            try page.forEach { try body($0.id) }
            last = page.last?.id
        } while last != nil
    }

    private var effectiveFormat: ListFileFormat {
        if let format { return format }
        let named = ListFileFormat(fileName: output)
        return named.flatMap { ListFileFormat.written.contains($0) ? $0 : nil } ?? .json
    }

    private var isDirectory: Bool {
        var isDirectory: ObjCBool = false
        return output.hasSuffix("/")
            || FileManager.default.fileExists(atPath: output, isDirectory: &isDirectory)
                && isDirectory.boolValue
    }

    private func makeOutput() throws -> ExportOutput {
        if output == "-" { return .standardOutput }
        return try isDirectory ? .directory(output) : .file(output)
    }
}

extension ListFileFormat: ExpressibleByArgument {}
