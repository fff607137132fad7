import ReorderClient

/// A file on a device.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class DeviceStorage: OutboxStorage, @unchecked Sendable {
    private(set) var bytes: [UInt8]
    /// The number of bytes that certainly survive a crash.
    var synced: Int
    private var prepared: [UInt8] = []
    /// Whether the disk is full.
    var isFull = false

    struct Full: Error {}

    init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
        synced = bytes.count
    }

    func read() -> [UInt8] { bytes }

    func append(_ bytes: [UInt8]) throws {
        if isFull { throw Full() }
        self.bytes += bytes
    }

    func cut(to count: Int) {
        bytes = Array(bytes.prefix(count))
        synced = min(synced, count)
    }

    func prepare(_ bytes: [UInt8]) throws {
        if isFull { throw Full() }
        prepared = bytes
    }

    func replace(keepingFrom offset: Int) {
        bytes = prepared + bytes[offset...]
        synced = prepared.count
    }

    func sync() { synced = bytes.count }

    func close(isWorthless: Bool) {}
}
