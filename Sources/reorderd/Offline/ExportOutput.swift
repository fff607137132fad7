import ArgumentParser
import Foundation

/// The destination of exported lists. Each file appears under its name when it is complete.
struct ExportOutput {
    private enum Target {
        case stream(FileHandle)
        case file(NewFile)
        case directory(String)
    }

    private let place: Target

    static var standardOutput: ExportOutput { ExportOutput(place: .stream(.standardOutput)) }

    static func file(_ path: String) throws -> ExportOutput {
        ExportOutput(place: .file(try NewFile(path)))
    }

    /// Creates the directory if it does not exist.
    static func directory(_ path: String) throws -> ExportOutput {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw failure("\(path) can't be created: \(error.localizedDescription)", EX_CANTCREAT)
        }
        return ExportOutput(place: .directory(path))
    }

    /// Writes one list; `fileName` is used if the output is a directory.
    func write(_ bytes: [UInt8], fileName: String) throws {
        switch place {
        case .stream(let handle):
            do {
                try handle.write(contentsOf: bytes)
            } catch {
                throw failure("standard output: \(error.localizedDescription)", EX_IOERR)
            }
        case .file(let file): try file.write(bytes)
        case .directory(let path):
            let file = try NewFile((path.hasSuffix("/") ? path : path + "/") + fileName)
            try file.write(bytes)
            try file.finish()
        }
    }

    func finish() throws {
        if case .file(let file) = place { try file.finish() }
    }
}

/// A file that has a temporary name until it is complete.
private final class NewFile {
    private let path: String
    private let temporaryPath: String
    private let handle: FileHandle
    private var isFinished = false

    init(_ path: String) throws {
        self.path = path
        temporaryPath = "\(path).\(UUID().uuidString).partial"
        let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw failure(
                "\(path) can't be created: \(String(cString: strerror(errno)))", EX_CANTCREAT)
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    deinit {
        if !isFinished { unlink(temporaryPath) }
    }

    func write(_ bytes: [UInt8]) throws {
        do {
            try handle.write(contentsOf: bytes)
        } catch {
            throw failure("\(path): \(error.localizedDescription)", EX_IOERR)
        }
    }

    func finish() throws {
        do {
            try handle.close()
        } catch {
            throw failure("\(path): \(error.localizedDescription)", EX_IOERR)
        }
        guard rename(temporaryPath, path) == 0 else {
            throw failure(
                "\(path) can't be created: \(String(cString: strerror(errno)))", EX_CANTCREAT)
        }
        isFinished = true
    }
}
