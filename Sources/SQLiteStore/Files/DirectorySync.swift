import Foundation
import ReorderStore

/// Makes the directory entries of a store's files durable.
///
/// A synced log is lost in a power cut if its directory entry is not durable. SQLite syncs the
/// directory with the first commit, but ignores a failure; therefore it is synced before.
func syncDirectory(ofFile path: String) throws(StoreError) {
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
        throw .refused(
            reason: "\(directory) can't be opened: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    // Some file systems do not support this sync and report EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
        throw .refused(
            reason: "\(directory) can't be synced: \(String(cString: strerror(errno)))")
    }
}
