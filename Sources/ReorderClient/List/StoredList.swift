import Foundation
import ReorderEngine
import ReorderJSON

/// A list as an app has stored it on the device, for the app's widgets and extensions: they read it while the app has it open, and add
/// operations that the app sends.
///
/// An operation is applied to ``snapshot`` and durable when its call returns. The app takes it over within seconds while it is in front,
/// and when it opens the list, comes to the foreground, or calls `flush()`. App and extension need a folder that both can use, such as
/// that of an app group.
public struct StoredList: Sendable {
    /// The list's id.
    public let id: String
    private var local: LocalList
    /// The number of tasks that are not in `local`.
    private let missingCount: Int
    private let inbox: Inbox

    /// Reads a list. O(tasks), in time and memory: 120 MB for 100,000 tasks. It needs neither the network nor a client.
    ///
    /// - Parameter storage: the folder of the app's client.
    /// - Returns: nil if the list is not on this device.
    /// - Throws: `invalid` if the id is malformed; `storage` if the files can't be read.
    public init?(_ id: String, storage: URL) throws(ClientError) {
        try self.init(id, storage) { folder in
            let file = folder.file(of: id)
            guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
                return nil
            }
            // The file is appended to, or replaced as a whole: each reader gets complete records.
            let machine = try SyncMachine(
                list: id, storage: ReadBytes(bytes: try Array(Data(contentsOf: file))),
                newClient: "", random: SystemRandomNumberGenerator())
            return machine.local.map { ($0, $0.displayed.count) }
        }
    }

    /// Reads the excerpt of a list: its title, its settings, its sections, and its first 100 visible rows. For widgets, which may use
    /// little memory. O(rows in the excerpt). Otherwise like ``init(_:storage:)``.
    ///
    /// ``snapshot`` has only these rows, as the person sees them: with their folds, and without hidden subtasks. Changes of these tasks,
    /// and new tasks, are taken over by the app like others. The app writes the excerpt within a second after each change, and when it
    /// goes to the background.
    ///
    /// - Returns: nil if the app has not opened the list on this device yet.
    public init?(excerptOf id: String, storage: URL) throws(ClientError) {
        try self.init(id, storage) { try ExcerptFile.read($0.excerpt(of: id)) }
    }

    private init?(
        _ id: String, _ storage: URL, read: (OutboxFolder) throws -> (list: LocalList, count: Int)?
    ) throws(ClientError) {
        try InputValidation.id(id)
        let folder = OutboxFolder(url: storage)
        inbox = Inbox(url: folder.inbox(of: id))
        self.id = id
        do {
            // First, because the app empties it after it has written its own files.
            let operations = try inbox.operations()
            guard case (var local, let count)? = try read(folder) else { return nil }
            missingCount = count - local.displayed.count
            let known = Set(local.pending.map(\.id))
            _ = local.restore(operations.filter { !known.contains($0.id) })
            self.local = local
        } catch {
            throw .storage(of: error)
        }
    }

    /// The list with all operations of this device. Without an excerpt, folds of one person are not in it.
    public var snapshot: ReorderableList { local.displayed }

    /// The number of all tasks, also of those that an excerpt does not have.
    public var count: Int { local.displayed.count + missingCount }

    /// Creates a task.
    ///
    /// - Returns: the task's id, a new UUID.
    @discardableResult
    public mutating func create(
        _ title: String, at destination: Destination = .end(of: nil)
    ) throws(ClientError) -> TaskID {
        let id = UUID().uuidString.lowercased()
        try InputValidation.title(title)
        try add(.create(TaskContent(id: id, title: title), at: destination))
        return id
    }

    /// Sets whether a task is done.
    public mutating func setDone(_ task: TaskID, _ done: Bool = true) throws(ClientError) {
        try add(.update(task, TaskChanges(done: done)))
    }

    /// Moves a task with its subtasks.
    public mutating func move(_ task: TaskID, to destination: Destination) throws(ClientError) {
        try add(.move(MoveRequest(.task(task), to: destination)))
    }

    /// Deletes a task with its subtasks.
    public mutating func delete(_ task: TaskID) throws(ClientError) { try add(.delete(task)) }

    private mutating func add(_ command: Command) throws(ClientError) {
        let applied: LocalList.Applied
        do {
            applied = try local.applying([command], id: UUID().uuidString.lowercased())
        } catch {
            throw ClientError(error)
        }
        guard !applied.pending.isEmpty else { return }
        do {
            try inbox.append(applied.pending)
        } catch {
            throw .storage(of: error)
        }
        _ = local.add(applied)
    }
}
