import Foundation
import ReorderStore

/// Replaces a store's file with a copy of a backup. No server may use the file.
///
/// The copy is marked as a backup: the first server that uses it begins a new epoch. It gets the
/// owner and the permissions of the file that it replaces, or else its directory's owner.
///
/// After a crash at any moment, the former store or the backup is in place, or opening the file is
/// refused (`FileGroup.check`).
package final class SQLiteRestore {
    /// The store's file.
    package let path: String
    /// The copy, which `publish` puts in the file's place.
    package let unfinished: String
    /// The name of the former file after the restore.
    package let former: String
    /// The files of the former store after the restore; those that it does not have are missing.
    package var formerFiles: [String] { Self.keptSuffixes.map { former + $0 } }
    /// The ends of the names of the files that are kept.
    private static let keptSuffixes = ["", "-wal", "-mark"]
    private let lock: StoreLock
    private let isNew: Bool
    /// Whether there is a file to replace, or the log of one that was moved away.
    private let hasFormer: Bool
    private let owner: FileOwner

    /// Locks the file.
    package init(to path: String) throws(SQLiteBackupError) {
        let files = POSIXFileSystem()
        do throws(StoreError) {
            self.path = try SQLiteListStore.resolve(path, in: files)
            isNew = files.size(of: self.path) == nil
            lock = try StoreLock(databasePath: self.path, hasDatabase: !isNew, in: files)
        } catch {
            throw .destination(reason: error.reason)
        }
        unfinished = "\(self.path).\(UUID().uuidString).restored"
        former = "\(self.path).before-restore"
        let former = former
        let kept = Self.keptSuffixes.map { former + $0 }.filter { files.size(of: $0) != nil }
        let path = self.path
        hasFormer = Self.keptSuffixes.contains { files.size(of: path + $0) != nil }
        guard !hasFormer || kept.isEmpty else {
            throw .destination(
                reason:
                    "\(kept.joined(separator: ", ")): the store from before an earlier restore is "
                    + "here. Move all of it away, or delete it")
        }
        guard let owner = FileOwner(of: self.path) else {
            throw .destination(reason: "\(path): no such directory")
        }
        self.owner = owner
    }

    deinit {
        SQLiteBackup.removeStore(unfinished)
        lock.release()
    }

    /// Copies the backup. Nothing is replaced yet, so that the copy can be verified.
    package func copy(
        from backup: String, progress: @escaping (_ pages: Int, _ total: Int) -> Void
    ) throws(SQLiteBackupError) {
        guard !SQLiteBackup.isSameFile(backup, path) else {
            throw .source(reason: "\(backup) is the store's file itself")
        }
        try SQLiteBackup.copy(from: backup, to: unfinished, progress: progress)
        // A new file belongs to the user of the command, unless that is root: a folder can belong to
        // another user and be writable for a group.
        let isOwn =
            isNew && geteuid() != 0 || owner.user == geteuid() && owner.group == getegid()
        guard chmod(unfinished, isNew ? 0o600 : owner.mode) == 0,
            isOwn || chown(unfinished, owner.user, owner.group) == 0
        else {
            throw .destination(
                reason: "\(path) must belong to user \(owner.user): run the command as this user "
                    + "or as root")
        }
    }

    /// Puts the copy in the file's place. The former store's files stay, under the name `former`.
    package func publish() throws(SQLiteBackupError) {
        do throws(SQLiteBackupError) {
            for suffix in hasFormer ? Self.keptSuffixes : [] {
                guard link(path + suffix, former + suffix) == 0 || errno == ENOENT else {
                    throw failure("\(former)\(suffix) can't be created")
                }
            }
            guard rename(unfinished, path) == 0 else { throw failure("\(path) can't be replaced") }
        } catch {
            // None of them existed before.
            if hasFormer { for file in formerFiles { unlink(file) } }
            throw error
        }
        for suffix in ["-wal", "-shm", "-mark"] { unlink(path + suffix) }
        try SQLiteBackup.sync(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    private func failure(_ text: String) -> SQLiteBackupError {
        .destination(reason: "\(text): \(String(cString: strerror(errno)))")
    }
}
