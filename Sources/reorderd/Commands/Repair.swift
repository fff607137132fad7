import ArgumentParser
import Foundation
import ReorderStore

struct Repair: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring back the last version of a list that can be read.",
        discussion: """
            For a list that requests answer with 500, and that "reorderd check" reports. Works on a \
            file store that no server has open, or on a store in PostgreSQL while servers use it.

            The last version that can be read becomes the list's new version. Tasks that another \
            list has by now are left out, with their subtasks. The list's history begins again, and links to it end, \
            as if it had been deleted and created again. Make a backup before, and copy it if nothing may be lost.

            What is left out is written to a file before the list is changed, one line of JSON for \
            each change, snapshot and task: as it was stored, or the reason why it can't be read. \
            If no version can be read, the list stays, and the file has what is left of it. \
            A summary is written to standard output.

            Exit codes: 0, also if the list can be read already; 64 for wrong arguments; 65 if no \
            version of the list can be read; 66 if the store or the list does not exist; 73 if the \
            store can't be opened or the file can't be created; 74 if reading or writing fails.
            """)

    @Option(
        help: "The store: file:PATH (default: file:reorderd.db), or postgres://…",
        transform: StoreLocation.init(option:))
    var store = StoreLocation.standard

    @Argument(help: "The list's id.")
    var list: String

    @Option(
        name: [.short, .long],
        help: "The file for what is left out. Default: LIST.repair-VERSION.jsonl")
    var output: String?

    func run() throws {
        let offline = try OfflineStore(store, mustExist: true)
        var isUnreadable = false
        let readable = try offline.list(list) { _ in isUnreadable = true }
        if readable != nil { print("list \(list) can be read: nothing was changed") }
        guard readable != nil || isUnreadable else {
            throw failure("the list \"\(list)\" does not exist", EX_NOINPUT)
        }
        if isUnreadable {
            let seconds = Double(offline.service.now) / 1_000
            try repair(in: offline.store, at: Date(timeIntervalSince1970: seconds))
        }
        try offline.close()
    }

    /// - Parameter time: the time of the repaired version.
    private func repair(in store: any ListStore, at time: Date) throws {
        do {
            guard let repair = try ListRepair(of: list, in: store) else {
                throw failure("the list \"\(list)\" does not exist", EX_NOINPUT)
            }
            let path = output ?? "\(list).repair-\(repair.lastVersion).jsonl"
            let file = try ExportOutput.file(path)
            for line in repair.leftOut { try file.write(line.json, fileName: "") }
            try file.finish()
            guard repair.version > 0 else {
                throw failure(
                    "no version of list \(list) can be read; what is left of it is in \(path). "
                        + "Only DELETE with ?permanent=true removes the list", EX_DATAERR)
            }
            try store.append(repair.commits(at: time))
            for line in repair.leftOut { print("left out: \(line.text)") }
            print(
                "list \(list): version \(repair.version) of \(repair.lastVersion) is now version "
                    + "\(repair.lastVersion + 2); what was left out is in \(path)")
        } catch let error as StoreError {
            throw failure("list \(list): \(error.reason)", EX_IOERR)
        }
    }
}
