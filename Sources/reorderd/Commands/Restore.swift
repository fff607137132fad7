import ArgumentParser
import Foundation
import ReorderStore
import SQLiteStore

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of a store's file.",
        discussion: """
            Stop the server first. The command copies the backup, verifies the copy like "reorderd \
            check", and puts it in the file's place. If it finds a fault, it changes nothing. The \
            copy gets the owner and the permissions of the file that it replaces, or else the \
            owner of its folder, so root can run the command for any server.

            The former file stays, with its write-ahead log, under its name with ".before-restore". \
            Delete it when you no longer need it; the next restore refuses to overwrite it.

            The first server that uses the file begins a new epoch: clients then fetch their lists \
            again. The backup itself is not changed, and can be in a folder that can't be written. \
            A copy of a stopped server's file is a backup too.

            Exit codes: 0; 64 for wrong arguments; 65 if the backup is damaged; 66 if it can't be \
            read, or if a newer reorderd wrote it; 73 if the file is in use or can't be replaced; \
            74 if reading or writing fails.
            """)

    @Argument(help: "The backup.")
    var backup: String

    @Option(
        help: """
            The store's file. Default: the file in the variable REORDERD_STORE (or in the file that \
            REORDERD_STORE_FILE names), or reorderd.db.
            """)
    var to: String?

    func run() throws {
        let path = try target()
        var progress = ProgressLine()
        let check = ListChecker()
        let restore: SQLiteRestore
        do throws(SQLiteBackupError) {
            restore = try SQLiteRestore(to: path)
            try restore.copy(from: backup) { progress.show("copied \($0) of \($1) pages") }
        } catch {
            throw error.exitCode
        }
        progress.end()
        do {
            try check.run(onFile: restore.unfinished)
        } catch {
            check.report(backup, error.reason)
        }
        guard check.faults == 0 else {
            throw failure(
                "\(backup) is damaged; nothing was restored. If lists of it can't be read, run "
                    + "\"reorderd repair\" on a copy, and restore that", EX_DATAERR)
        }
        do throws(SQLiteBackupError) {
            try restore.publish()
        } catch {
            throw error.exitCode
        }
        print("restored \(path): \(check.summary)")
        let former = restore.formerFiles.filter { FileManager.default.fileExists(atPath: $0) }
        if !former.isEmpty { print("the former store is \(former.joined(separator: ", "))") }
    }

    private func target() throws -> String {
        guard let location = try to ?? EnvironmentArguments().store() else { return "reorderd.db" }
        switch StoreLocation(argument: location) {
        case .file(let path): return path
        case nil where to != nil: return location
        default:
            throw ValidationError(
                "Only file stores are restored: --to PATH. For PostgreSQL, use pg_restore.")
        }
    }
}
