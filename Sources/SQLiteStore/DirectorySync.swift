import Foundation
import ReorderStore

/// Makes the names of a store's files durable.
///
/// Without its name a synced log is lost with the power all the same. SQLite syncs the directory
/// with the first commit, but goes on where that fails; so it is done before the first commit.
func syncDirectory(ofFile path: String) throws(StoreError) {
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
        throw .refused(
            reason: "\(directory) can't be opened: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    // Some file systems have no such sync and say so with EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
        throw .refused(
            reason: "\(directory) can't be synced: \(String(cString: strerror(errno)))")
    }
}
