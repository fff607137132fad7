/// Durable bytes: a file that is appended to.
package protocol OutboxStorage: Sendable {
    /// The whole content.
    func read() throws -> [UInt8]
    /// Appends bytes: all of them, or none if it throws. From then on they survive the end of the
    /// process. Once `sync` has returned, they also survive a power cut.
    func append(_ bytes: [UInt8]) throws
    /// Truncates the content to its first `count` bytes.
    func cut(to count: Int) throws
    /// Makes a new content durable beside the old one. The other functions may be called meanwhile.
    func prepare(_ bytes: [UInt8]) throws
    /// Replaces the content atomically by the prepared one, followed by the old content from `offset` on.
    /// It is durable once `sync` has returned; until then, a power cut may bring the old one back.
    func replace(keepingFrom offset: Int) throws
    /// Returns when all appended bytes are on the disk.
    func sync() throws
    /// Sets whether the file stays locked between writes. A process that is suspended with a lock is ended by Apple's systems.
    func setHeld(_ isHeld: Bool)
    /// Whether another client has used the file, so that all further writes fail.
    var isLost: Bool { get }
    /// Releases the file. Only `close` may be called afterwards.
    ///
    /// - Parameter isWorthless: whether to delete the file.
    func close(isWorthless: Bool)
}

extension OutboxStorage {
    package func setHeld(_ isHeld: Bool) {}
    package var isLost: Bool { false }
}

/// Bytes that were read, or none; nothing is written.
struct ReadBytes: OutboxStorage {
    let bytes: [UInt8]

    func read() -> [UInt8] { bytes }
    func append(_ bytes: [UInt8]) {}
    func cut(to count: Int) {}
    func prepare(_ bytes: [UInt8]) {}
    func replace(keepingFrom offset: Int) {}
    func sync() {}
    func close(isWorthless: Bool) {}
}
