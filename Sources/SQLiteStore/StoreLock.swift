import Foundation
import ReorderStore
import Synchronization

/// Keeps a second process (and a second store in this one) from opening the same file.
///
/// The lock is `flock` on a file of its own beside the database: the kernel drops it however the
/// process ends, and no descriptor of the database itself is opened and closed, which would drop
/// the locks that SQLite holds there. The lock file stays: whoever removed it could lock a file
/// that nobody else sees.
final class StoreLock: Sendable {
    /// -1 once released.
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
                // A program that is just being started has the descriptor too, until it runs.
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
