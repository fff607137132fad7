import Foundation
import ReorderStore
import Synchronization

/// Prevents a second process (and a second store in this process) from opening the same file.
///
/// It is a `flock` on a separate file beside the database. The kernel releases it when the process
/// ends for any reason. No descriptor of the database itself is opened and closed, which would
/// release SQLite's locks. The lock file is never removed: otherwise another process could lock a
/// file that no longer has a name.
final class StoreLock: Sendable {
    /// -1 after release.
    private let descriptor: Mutex<Int32>

    init(databasePath: String) throws(StoreError) {
        let path = databasePath + ".lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw .refused(reason: "\(path) can't be opened: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            throw .refused(
                reason: code == EWOULDBLOCK
                    ? "\(databasePath) is in use by another process"
                    : "\(path) can't be locked: \(String(cString: strerror(code)))")
        }
        self.descriptor = Mutex(descriptor)
    }

    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 {
                // Explicitly, because a child process inherits the descriptor until its `exec`.
                flock(descriptor, LOCK_UN)
                close(descriptor)
            }
            descriptor = -1
        }
    }

    deinit {
        release()
    }
}
