import Foundation

/// Operations of a list that widgets and extensions have made: a file beside the list's file, from which the app takes them.
///
/// Each call locks the file for a moment only: a process that is suspended while it has a lock is ended by Apple's systems.
struct Inbox: Sendable {
    let url: URL

    /// Adds operations: all of them, or none. O(operations in the file).
    ///
    /// - Parameter syncs: whether they must survive a power cut, not only the end of the process.
    func append(_ operations: [PendingOperation], syncs: Bool = true) throws {
        try withFile(O_RDWR | O_CREAT | O_CLOEXEC) { descriptor, file in
            // Overwrites what a crash left incomplete.
            let end = OutboxRecord.read(file).end
            let start = end == 0 ? OutboxRecord.fileHeader : []
            let records = operations.reduce(into: start) { bytes, operation in
                bytes += OutboxRecord.operation(operation.json()).bytes
            }
            do {
                try FileCalls.write(records, to: descriptor, at: end)
                if syncs { try FileCalls.flush(descriptor) }
            } catch {
                ftruncate(descriptor, off_t(end))
                throw error
            }
        }
    }

    /// The operations in the file, in their order.
    func operations() throws -> [PendingOperation] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try withFile(O_RDWR | O_CLOEXEC) { _, file in Self.operations(file) }
    }

    /// Empties the file after its operations were taken over.
    ///
    /// - Parameter body: makes the operations durable elsewhere. If it throws, they stay.
    func take(_ body: ([PendingOperation]) throws -> Void) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try withFile(O_RDWR | O_CLOEXEC) { descriptor, file in
            let operations = Self.operations(file)
            guard !operations.isEmpty else { return }
            try body(operations)
            guard ftruncate(descriptor, 0) == 0 else { throw DeviceFileError() }
        }
    }

    private var path: String { url.path(percentEncoded: false) }

    private static func operations(_ file: [UInt8]) -> [PendingOperation] {
        OutboxRecord.read(file).records.compactMap { record in
            guard case .operation(let json) = record else { return nil }
            return try? PendingOperation(json: json)
        }
    }

    private func withFile<Value>(
        _ flags: Int32, _ body: (_ descriptor: Int32, _ file: [UInt8]) throws -> Value
    ) throws -> Value {
        let descriptor = try FileCalls.open(path, flags)
        defer { FileCalls.close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw DeviceFileError() }
        defer { flock(descriptor, LOCK_UN) }
        let length = Int(lseek(descriptor, 0, SEEK_END))
        return try body(descriptor, try FileCalls.read(descriptor, 0..<length))
    }
}
