import Foundation
import Synchronization

/// A file beside the store that reserves disk space, so that the store can recover after it has
/// filled the disk.
///
/// If the log has filled the disk, it can't be copied into the database, because the database would
/// have to grow. Commits need space in the log too. So when a write finds no space, the reserve
/// file is removed, and the log is copied and emptied. If that frees enough space, the reserve file
/// is created again. Otherwise the store accepts only writes that free space (deleting lists,
/// pruning changes, removing stored responses), until the disk has enough space.
final class DiskReserve: Sendable {
    let path: String
    private let databasePath: String
    private let directory: String
    /// The file's size.
    let byteCount: Int
    private let files: any FileSystem
    private let held: Mutex<Bool>

    /// 8 MiB, but at most a sixteenth of the disk.
    private static let maximumBytes = 8 << 20
    private static let pageBytes = 4_096

    init(databasePath: String, in files: any FileSystem) {
        self.files = files
        self.databasePath = databasePath
        path = databasePath + "-reserve"
        directory = URL(fileURLWithPath: databasePath).deletingLastPathComponent().path
        let total = files.space(in: directory)?.total ?? 0
        let share = total / 16 / Self.pageBytes * Self.pageBytes
        byteCount = min(Self.maximumBytes, share)
        held = Mutex(files.size(of: path) != nil)
    }

    var isHeld: Bool { held.withLock(\.self) }

    /// The free space on the disk; nil if unknown.
    var knownFreeBytes: Int? { files.space(in: directory)?.free }

    /// The free space on the disk; `.max` if unknown.
    var freeBytes: Int { knownFreeBytes ?? .max }

    /// Whether there is space for the file, and some more for the next writes.
    var hasSpace: Bool { freeBytes >= byteCount + byteCount / 4 }

    /// Whether the log must stay small: the database may grow by the log's size, and then needs the
    /// reserve's space.
    var isShort: Bool { freeBytes < 8 * byteCount }

    /// Creates the file if it does not exist and there is space.
    func make() {
        held.withLock { isHeld in
            guard !isHeld, byteCount > 0, hasSpace else { return }
            guard let file = try? files.open(path, mode: 0o600, like: databasePath) else { return }
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
