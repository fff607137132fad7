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
    private let files: any FileSystem
    private let held: Mutex<Bool>

    /// 8 MiB, or less on a small disk: a sixteenth of it.
    private static let maximumBytes = 8 << 20
    private static let pageBytes = 4_096

    init(databasePath: String, in files: any FileSystem) {
        self.files = files
        path = databasePath + "-reserve"
        directory = URL(fileURLWithPath: databasePath).deletingLastPathComponent().path
        let total = files.space(in: directory)?.total ?? 0
        let share = total / 16 / Self.pageBytes * Self.pageBytes
        byteCount = min(Self.maximumBytes, share)
        held = Mutex(files.size(of: path) != nil)
    }

    var isHeld: Bool { held.withLock(\.self) }

    /// The free space on the disk; `.max` if unknown.
    var freeBytes: Int { files.space(in: directory)?.free ?? .max }

    /// Whether there is space for the file, and some more for the next writes.
    var hasSpace: Bool { freeBytes >= byteCount + byteCount / 4 }

    /// Creates the file if it does not exist and there is space.
    func make() {
        held.withLock { isHeld in
            guard !isHeld, byteCount > 0, hasSpace else { return }
            guard let file = try? files.open(path, mode: 0o600) else { return }
            defer { file.close() }
            isHeld = file.allocate(byteCount)
            if !isHeld { files.remove(path) }
        }
    }

    /// - Returns: whether the file existed.
    @discardableResult
    func release() -> Bool {
        held.withLock { isHeld in
            defer { isHeld = false }
            files.remove(path)
            return isHeld
        }
    }
}
