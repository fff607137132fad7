import Foundation

/// The owner and the permissions of a file.
struct FileOwner {
    let user: uid_t
    let group: gid_t
    let mode: mode_t
    private let path: String

    /// - Parameter path: a file. If it does not exist, the owner is that of its directory.
    /// - Returns: nil if neither exists.
    init?(of path: String) {
        var status = stat()
        var path = path
        if stat(path, &status) != 0 {
            path = URL(fileURLWithPath: path).deletingLastPathComponent().path
            guard stat(path, &status) == 0 else { return nil }
        }
        self.path = path
        user = status.st_uid
        group = status.st_gid
        mode = status.st_mode & 0o7777
    }

    /// Why this process may not write to the file, and what an administrator can do.
    var remedy: String {
        let (own, text) = (geteuid(), String(mode, radix: 8))
        let facts = "\(path) belongs to user \(user) and has mode \(text)"
        return user == own
            ? "\(facts): run \"chmod u+rwX \(path)\""
            : "\(facts), and this program runs as user \(own): run \"chown \(own):\(getegid()) \(path)\" as root"
    }
}
