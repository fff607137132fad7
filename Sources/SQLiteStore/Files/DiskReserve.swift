import Foundation
import Synchronization

/// A file beside the store that reserves disk space, so that the store can recover after it has
/// filled the disk.
///
/// A log that has filled the disk can't be copied into the database, which would have to grow, and
/// a commit needs space in the log. So when a write finds no space, the file is removed, and the
/// log is copied and emptied. If that frees enough space, the file is created again. If not, the
/// store accepts only writes that free space (deleting lists, pruning changes, removing answers),
/// until there is enough.
final class DiskReserve: Sendable {
    let path: String
    private let directory: String
    /// The file's size.
    let byteCount: Int
    private let held: Mutex<Bool>

    /// 8 MiB, or less on a small disk: a sixteenth of it.
    private static let maximumBytes = 8 << 20
    private static let pageBytes = 4_096

    init(databasePath: String) {
        path = databasePath + "-reserve"
        directory = URL(fileURLWithPath: databasePath).deletingLastPathComponent().path
        var space = statvfs()
        let total = statvfs(directory, &space) == 0 ? Int(space.f_blocks) * Int(space.f_frsize) : 0
        let share = total / 16 / Self.pageBytes * Self.pageBytes
        byteCount = min(Self.maximumBytes, share)
        var status = stat()
        held = Mutex(stat(path, &status) == 0)
    }

    var isHeld: Bool { held.withLock(\.self) }

    /// The free space on the disk; `.max` if unknown.
    var freeBytes: Int {
        var space = statvfs()
        guard statvfs(directory, &space) == 0 else { return .max }
        return Int(space.f_bavail) * Int(space.f_frsize)
    }

    /// Whether there is space for the file, and some more for the next writes.
    var hasSpace: Bool { freeBytes >= byteCount + byteCount / 4 }

    /// Creates the file if it does not exist and there is space.
    func make() {
        held.withLock { isHeld in
            guard !isHeld, byteCount > 0, hasSpace else { return }
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            // File systems without this operation get a byte written to each block.
            isHeld = posix_fallocate(descriptor, 0, off_t(byteCount)) == 0
            if !isHeld { unlink(path) }
        }
    }

    /// - Returns: whether the file existed.
    @discardableResult
    func release() -> Bool {
        held.withLock { isHeld in
            defer { isHeld = false }
            unlink(path)
            return isHeld
        }
    }
}
