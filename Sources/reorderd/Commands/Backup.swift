import ArgumentParser
import Foundation
import ReorderStore
import SQLiteStore

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a file store, even while a server uses it.",
        discussion: """
            The copy has the state of the store at one moment after the command began, with all \
            versions and changes. It contains every change that was acknowledged before the \
            command. The copy appears under its name only when it is complete, synced to disk and \
            verified to open. Meanwhile the server keeps reading and writing, and its write-ahead \
            log grows.

            If the destination is a folder, the copy's name has the time: \
            reorderd-20261231T235959.000Z.db. With --keep 7, older copies in the folder are then \
            deleted until 7 are left. Only files with such names are deleted.

            With "-" the copy is written to standard output, after it is complete. Until then it is \
            in the folder TMPDIR, or without this variable next to the store.

            "reorderd restore" puts a copy in the store's place.

            Exit codes: 0; 64 for wrong arguments; 65 if the copy is damaged, which means that the \
            store is damaged; 66 if the store can't be read, or if a newer reorderd wrote it; 73 \
            if the destination already exists or can't be created; 74 if reading or writing fails.
            """)

    @Argument(help: "The store's file.")
    var file: String

    @Argument(
        help: """
            The copy's path, which must not exist without --replace; a folder; or "-" for standard \
            output.
            """)
    var destination: String

    @Flag(help: "Replace an existing copy, atomically, when the new one is complete.")
    var replace = false

    @Option(help: "The number of copies to keep in the folder.")
    var keep: Int?

    func validate() throws {
        guard keep ?? 1 > 0 else { throw ValidationError("--keep must be at least 1.") }
        guard keep == nil || destination != "-" else {
            throw ValidationError("--keep needs a folder.")
        }
        guard !replace || destination != "-" else {
            throw ValidationError("--replace needs a file.")
        }
    }

    func run() throws {
        let source = StoreLocation.path(file)
        if destination == "-" { return try writeToStandardOutput(source) }
        var isDirectory: ObjCBool = false
        let isFolder =
            FileManager.default.fileExists(atPath: destination, isDirectory: &isDirectory)
            && isDirectory.boolValue
        guard isFolder else {
            guard keep == nil else {
                throw failure("--keep needs a folder, and \(destination) is none", EX_CANTCREAT)
            }
            return try copy(source, to: destination, replaces: replace)
        }
        let series = BackupSeries(of: source, in: destination)
        let path = series.newPath()
        try copy(source, to: path, replaces: false)
        if let keep { try series.removeOldest(keeping: keep, including: path) }
    }

    private func copy(_ source: String, to destination: String, replaces: Bool) throws {
        var progress = ProgressLine()
        do throws(SQLiteBackupError) {
            try SQLiteBackup.copy(from: source, to: destination, replaces: replaces) {
                progress.show("copied \($0) of \($1) pages")
            }
        } catch {
            throw error.exitCode
        }
        progress.end()
    }

    private func writeToStandardOutput(_ source: String) throws {
        guard isatty(STDOUT_FILENO) == 0 else {
            throw ValidationError("A backup is not text: redirect standard output to a file.")
        }
        let folder =
            ProcessInfo.processInfo.environment["TMPDIR"]
            ?? URL(fileURLWithPath: source).deletingLastPathComponent().path
        let copied = "\(folder)/backup-\(UUID().uuidString)"
        defer { unlink(copied) }
        try copy(source, to: copied, replaces: false)
        // A reader that ends early is an error of the write, so that the copy is removed.
        signal(SIGPIPE, SIG_IGN)
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: copied))
            while let bytes = try file.read(upToCount: 1 << 20), !bytes.isEmpty {
                try FileHandle.standardOutput.write(contentsOf: bytes)
            }
        } catch {
            throw failure(
                "the whole backup can't be written to standard output: its reader may have ended "
                    + "too early",
                EX_IOERR)
        }
    }
}

extension SQLiteBackupError {
    /// Prints the reason, and returns the exit code to throw.
    var exitCode: ExitCode {
        switch self {
        case .source(let reason): failure(reason, EX_NOINPUT)
        case .destination(let reason): failure(reason, EX_CANTCREAT)
        case .copying(let reason): failure(reason, EX_IOERR)
        case .damaged(let reason): failure(reason, EX_DATAERR)
        }
    }
}

extension StoreLocation {
    /// The path of a file store. The argument is a path, or file:PATH as for `--store`.
    static func path(_ argument: String) -> String {
        if case .file(let path) = StoreLocation(argument: argument) { return path }
        return argument
    }
}
