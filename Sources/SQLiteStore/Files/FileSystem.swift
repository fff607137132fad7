/// The file operations that the store itself does, in addition to SQLite's. Tests simulate a disk
/// with it.
package protocol FileSystem: Sendable {
    /// The name by which SQLite opens a file: its path, or a URI.
    ///
    /// - Parameter isImmutable: whether SQLite reads the file alone, without its log and locks. No
    ///   program may write to the file meanwhile.
    func databaseName(_ path: String, isImmutable: Bool) -> String

    /// Returns the path without symbolic links; nil if the file or directory does not exist.
    func canonicalPath(_ path: String) -> String?

    /// Returns a file's size in bytes; nil if it does not exist.
    func size(of path: String) -> Int?

    /// Returns whether a file has other names (hard links).
    func hasOtherNames(_ path: String) -> Bool

    /// Returns the free and the total space of a directory's disk in bytes; nil if unknown.
    func space(in directory: String) -> (free: Int, total: Int)?

    /// Opens a file for reading and writing, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - mode: the permissions of a new file.
    ///   - model: a file, or its directory if it does not exist. A new file gets its owner, if this
    ///     process may change owners: a command that root runs must not leave files that the
    ///     server's user can't open.
    func open(_ path: String, mode: UInt32, like model: String) throws(FileError) -> any StoreFile

    /// Verifies that this process may read and write a file; does nothing if it does not exist.
    func checkWritable(_ path: String) throws(FileError)

    /// Removes a file; does nothing if it does not exist.
    func remove(_ path: String)

    /// Writes a file's content to the disk again, and syncs it; does nothing if it does not exist.
    ///
    /// A sync alone is not enough: after a failed sync, an operating system may keep in memory what
    /// it could not write, and regard it as written.
    func rewrite(_ path: String) throws(FileError)

    /// Makes the names of a directory's files durable.
    func syncDirectory(_ directory: String) throws(FileError)
}

extension FileSystem {
    package func databaseName(_ path: String) -> String { databaseName(path, isImmutable: false) }
}

/// An open file, used by one thread at a time. It is closed when it is released.
package protocol StoreFile: Sendable {
    /// Locks the file until it is closed or its process ends.
    ///
    /// - Returns: false if the file is already locked.
    func lock() throws(FileError) -> Bool

    /// Reads the beginning of the file; less if the file is shorter, and nothing on an error.
    func read(into buffer: UnsafeMutableRawBufferPointer)

    /// Overwrites the beginning of the file; returns false on an error.
    @discardableResult
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// Reserves space for a file of this size; returns false if there is not enough.
    func allocate(_ byteCount: Int) -> Bool

    func close()
}

/// A failed file operation.
package struct FileError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
