import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// An error of the operating system.
struct DeviceFileError: Error, Equatable, CustomStringConvertible {
    let code: Int32

    /// The last call's error, or the one with a code.
    init(_ code: Int32 = errno) { self.code = code }

    var description: String {
        code == EWOULDBLOCK
            ? "Another client or process has the list open. Use one client for a folder."
            : "\(String(cString: strerror(code))) (error \(code))."
    }
}

/// The calls of the operating system for files.
enum FileCalls {
    static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        #if canImport(Darwin)
            let descriptor = Darwin.open(path, flags, 0o600)
        #elseif canImport(Glibc)
            let descriptor = Glibc.open(path, flags, 0o600)
        #else
            let descriptor = Musl.open(path, flags, 0o600)
        #endif
        guard descriptor >= 0 else { throw DeviceFileError() }
        return descriptor
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            _ = Darwin.close(descriptor)
        #elseif canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Musl.close(descriptor)
        #endif
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws {
        try bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = pwrite(
                    descriptor, rest.baseAddress, rest.count, off_t(offset + written))
                guard count > 0 else {
                    if count < 0, errno == EINTR { continue }
                    throw DeviceFileError()
                }
                written += count
            }
        }
    }

    static func read(_ descriptor: Int32, _ range: Range<Int>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { bytes, done in
            while done < range.count {
                let rest = UnsafeMutableBufferPointer(rebasing: bytes[done...])
                let count = pread(
                    descriptor, rest.baseAddress, range.count - done,
                    off_t(range.lowerBound + done))
                guard count > 0 else {
                    if count < 0, errno == EINTR { continue }
                    throw DeviceFileError()
                }
                done += count
            }
        }
    }

    /// Returns when a file is on the disk. On Apple's systems, `fsync` does not flush the drive's cache.
    static func flush(_ descriptor: Int32) throws {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        // Not every file system has it.
        #endif
        guard fsync(descriptor) == 0 else { throw DeviceFileError() }
    }

    /// Makes the names in the folder of a file durable.
    static func flushFolder(of path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let descriptor = try open(folder, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        try flush(descriptor)
    }
}
