import ArgumentParser
import Foundation
import ReorderService
import ReorderStore
import ReorderTransfer

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write lists to files or to standard output.",
        discussion: """
            Works on a file that no server has open, or in PostgreSQL beside servers. Of a running \
            server ask the lists themselves: curl http://HOST:PORT/lists/ID gives what --format json \
            writes.

            All lists are written as they were at one moment, also beside servers.

            Several lists go into one file or to standard output as JSON, a line each, or into a \
            directory in any format, a file each, named by the list's id. Files that are there are \
            replaced, each as a whole.

            What a format can't hold is not written. markdown holds titles, sections, nesting and \
            "done"; todoist holds titles, sections, nesting, "collapsed", and of "data" what \
            "reorderd import" puts there. Only json holds everything but the history, which only \
            "reorderd backup" keeps.

            Exit codes: 0; 64 for wrong arguments; 66 where there is no such store or list; 73 where \
            the store can't be opened or a file can't be made; 74 where reading or writing fails.
            """)

    @Option(
        help: "Where the lists are kept: file:PATH (file:reorderd.db by default), or postgres://…",
        transform: StoreLocation.init(option:))
    var store = StoreLocation.file(path: "reorderd.db")

    @Argument(help: "The lists' ids.")
    var lists: [String] = []

    @Flag(help: "All lists.")
    var all = false

    @Option(help: "json, markdown or todoist. By default what the file's name ends with, or json.")
    var format: TransferFormat?

    @Option(
        name: [.short, .long],
        help: "A file, or a directory (one that is there, or any path that ends with \"/\").")
    var output = "-"

    func validate() throws {
        guard all != !lists.isEmpty else {
            throw ValidationError("Name the lists, or --all of them.")
        }
        guard isDirectory || effectiveFormat.holdsSeveralLists || lists.count == 1 else {
            throw ValidationError(
                "A \(effectiveFormat.rawValue) file holds one list: "
                    + "for several, --output names a directory.")
        }
    }

    func run() throws {
        let offline = try OfflineStore(store, mustExist: true, isSnapshot: true)
        // Before anything is written.
        for id in lists where try offline.list(id) == nil {
            throw failure("there is no list \"\(id)\"", EX_NOINPUT)
        }
        let output = try makeOutput()
        var progress = Progress()
        var count = 0
        func write(_ id: String) throws {
            guard let snapshot = try offline.list(id) else { return }
            try output.write(
                effectiveFormat.write(snapshot.list, id: id, version: snapshot.version),
                fileName: "\(id).\(effectiveFormat.fileEnding)")
            count += 1
            progress.tell("exported \(count) lists")
        }
        if all {
            try forEachList(in: offline.store, write)
        } else {
            try lists.forEach(write)
        }
        try output.finish()
        progress.end()
        try offline.close()
    }

    private func forEachList(in store: any ListStore, _ body: (String) throws -> Void) throws {
        var last: String?
        repeat {
            let page: [ListSummary]
            do {
                page = try store.summaries(after: last, limit: 1_000)
            } catch {
                throw failure(error.reason, EX_IOERR)
            }
            try page.forEach { try body($0.id) }
            last = page.last?.id
        } while last != nil
    }

    private var effectiveFormat: TransferFormat {
        format ?? TransferFormat(fileName: output) ?? .json
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

extension TransferFormat: ExpressibleByArgument {}
