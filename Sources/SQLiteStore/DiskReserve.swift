import Foundation
import Synchronization

/// A file beside the store that takes room on the disk, so that a disk that the store has filled does not
/// stop it for good.
///
/// A log that has filled a disk can't be copied into the database, which has to grow for it, and a
/// commit needs room in the log. So when a write finds no room, the file is removed, the log is copied
/// and emptied. If that makes enough room, the file is made again. If not, the store only takes what
/// makes room (lists are deleted, old changes and answers removed), until there is enough.
final class DiskReserve: Sendable {
    let path: String
    private let directory: String
    /// How much it takes where there is room for it.
    let byteCount: Int
    private let held: Mutex<Bool>

    /// 8 MiB, or less on a small disk: a sixteenth of it.
    private static let mostBytes = 8 << 20
    private static let pageBytes = 4_096

    init(databasePath: String) {
        path = databasePath + "-reserve"
        directory = URL(fileURLWithPath: databasePath).deletingLastPathComponent().path
        var space = statvfs()
        let total = statvfs(directory, &space) == 0 ? Int(space.f_blocks) * Int(space.f_frsize) : 0
        let share = total / 16 / Self.pageBytes * Self.pageBytes
        byteCount = min(Self.mostBytes, share)
        var status = stat()
        held = Mutex(stat(path, &status) == 0)
    }

    var isHeld: Bool { held.withLock(\.self) }

    /// What may be written on the disk; all there is where that is not known.
    var freeBytes: Int {
        var space = statvfs()
        guard statvfs(directory, &space) == 0 else { return .max }
        return Int(space.f_bavail) * Int(space.f_frsize)
    }

    /// Whether there is room for the file, and a little beside it for the next writes.
    var hasRoom: Bool { freeBytes >= byteCount + byteCount / 4 }

    /// Makes the file where it is not there and has room.
    func make() {
        held.withLock { isHeld in
            guard !isHeld, byteCount > 0, hasRoom else { return }
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            // A file system that can not do it gets a byte written into each block.
            isHeld = posix_fallocate(descriptor, 0, off_t(byteCount)) == 0
            if !isHeld { unlink(path) }
        }
    }

    /// - Returns: whether there was one.
    @discardableResult
    func release() -> Bool {
        held.withLock { isHeld in
            defer { isHeld = false }
            unlink(path)
            return isHeld
        }
    }
}
