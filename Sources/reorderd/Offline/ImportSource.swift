import ArgumentParser
import Foundation
import ReorderAPI
import ReorderImportExport

/// A file to import. It can be read more than once.
final class ImportSource {
    /// The file's name in messages.
    let name: String
    let format: ListFileFormat
    private let handle: FileHandle
    let fileName: ImportedFileName

    /// The bytes by which a format is recognized.
    private static let recognizedBytes = 1 << 20

    /// - Parameter format: nil to recognize it.
    init(_ path: String, format: ListFileFormat?) throws {
        if path == "-" {
            name = "standard input"
            fileName = ImportedFileName(nil)
            handle = try Self.copy(of: .standardInput)
        } else {
            name = path
            fileName = ImportedFileName(path)
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw failure("\(path): \(String(cString: strerror(errno)))", EX_NOINPUT)
            }
            handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }
        if let format {
            self.format = format
            return
        }
        let start = try Self.reading(name) { [handle] in
            try handle.seek(toOffset: 0)
            return [UInt8](try handle.read(upToCount: Self.recognizedBytes) ?? Data())
        }
        guard let format = ListFileFormat(recognizing: start, fileName: path) else {
            throw failure(
                "\(name): the format is unknown. Give --format: \(ListFileFormat.names())",
                EX_DATAERR)
        }
        self.format = format
    }

    /// The text of one list.
    struct Document: Sendable {
        /// The number of its first line in the file.
        var line: Int
        var bytes: [UInt8]
    }

    /// The bytes of documents that are read together.
    private static let batchBytes = 1 << 20

    /// Calls `body` with the documents of the file in order, several at a time: 1 MiB, or one document
    /// if it is larger.
    func forEachBatch(_ body: ([Document]) throws -> Void) throws {
        try reading { try handle.seek(toOffset: 0) }
        guard format.holdsSeveralLists else {
            let bytes = try reading { [UInt8](try handle.readToEnd() ?? Data()) }
            return try body([Document(line: 1, bytes: bytes)])
        }
        var documents = JSONDocuments { [self] in
            try reading { [UInt8](try handle.read(upToCount: 1 << 18) ?? Data()) }
        }
        var batch: [Document] = []
        var batchBytes = 0
        while let (line, bytes) = try documents.next() {
            batch.append(Document(line: line, bytes: bytes))
            batchBytes += bytes.count
            guard batchBytes >= Self.batchBytes else { continue }
            try body(batch)
            batch = []
            batchBytes = 0
        }
        if !batch.isEmpty { try body(batch) }
    }

    private func reading<Value>(_ body: () throws -> Value) throws -> Value {
        try Self.reading(name, body)
    }

    private static func reading<Value>(
        _ name: String, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch {
            throw failure("\(name): \(error.localizedDescription)", EX_NOINPUT)
        }
    }

    /// Copies standard input to a temporary file: a pipe can be read only once.
    private static func copy(of input: FileHandle) throws -> FileHandle {
        guard let file = tmpfile() else {
            throw failure("a temporary file for standard input can't be created", EX_IOERR)
        }
        // A duplicate descriptor, because `fclose` closes the stream's own.
        let copy = FileHandle(fileDescriptor: dup(fileno(file)), closeOnDealloc: true)
        fclose(file)
        do {
            while let bytes = try input.read(upToCount: 1 << 18), !bytes.isEmpty {
                try copy.write(contentsOf: bytes)
            }
        } catch {
            throw failure("standard input: \(error.localizedDescription)", EX_IOERR)
        }
        return copy
    }
}
