import Foundation

/// The owner and the permissions of a file.
struct FileOwner {
    let user: uid_t
    let group: gid_t
    let mode: mode_t
    private let path: String
    private let isDirectory: Bool

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
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        user = status.st_uid
        group = status.st_gid
        mode = status.st_mode & 0o7777
    }

    /// Why this process may not write to the file, and what an administrator can do.
    var remedy: String {
        let (own, text) = (geteuid(), String(mode, radix: 8))
        let facts = "\(path) belongs to user \(user) and has mode \(text)"
        if user == own { return "\(facts): run \"chmod u+rwX \(path)\"" }
        let other = "\(facts), and this program runs as user \(own)"
        guard user == 0 else { return "\(other): run it as user \(user) or as root" }
        // The server's user may need a file that a command of root has left.
        let change =
            isDirectory
            ? "let user \(own) write to it" : "run \"chown \(own):\(getegid()) \(path)\" as root"
        return "\(other): run it as root, or, if user \(own) runs the server, \(change)"
    }
}
