/// The file operations that the store itself does, in addition to SQLite's. Tests simulate a disk
/// with it.
package protocol FileSystem: Sendable {
    /// The name by which SQLite opens a file: its path, or a URI that names a VFS of SQLite.
    func databaseName(_ path: String) -> String

    /// Returns the path without symbolic links; nil if the file or directory does not exist.
    func canonicalPath(_ path: String) -> String?

    /// Returns a file's size in bytes; nil if it does not exist.
    func size(of path: String) -> Int?

    /// Returns the free and the total space of a directory's disk in bytes; nil if unknown.
    func space(in directory: String) -> (free: Int, total: Int)?

    /// Opens a file for reading and writing, and creates it if it does not exist.
    ///
    /// - Parameter mode: the permissions of a new file.
    func open(_ path: String, mode: UInt32) throws(FileError) -> any StoreFile

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

/// An open file, used by one thread at a time. It is closed when it is released.
package protocol StoreFile: Sendable {
    /// Locks the file until it is closed or its process ends.
    ///
    /// - Returns: false if the file is already locked.
    func lock() throws(FileError) -> Bool

    /// Reads the beginning of the file; returns false if the file is shorter, or on an error.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Bool

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
