import Foundation
import ReorderEngine
import ReorderJSON

/// The first visible rows of a list in a file beside the list's file: a widget, which ends at 30 MB of memory, can't read a large list.
///
/// It is a document with some of the tasks. Only the client that has the list open writes it.
struct ExcerptFile: Sendable {
    let url: URL
    /// The client's flag: once it has deleted its files, none is written any more.
    let isSignedOut: Lock<Bool>
    /// Taken while a state is read and written, so that no older state is written after a newer one.
    let writing = Lock(())

    static let maximumRows = 100

    /// Replaces the file. O(rows in it). After a failure, the former file stays.
    ///
    /// - Parameter list: nil deletes the file.
    func write(_ list: ReorderableList?, _ id: String, at syncPoint: SyncPoint) {
        let window = ListDocument.Window(isVisibleOnly: true, limit: Self.maximumRows)
        let json = list.map {
            ListDocument.json(
                id: id, version: syncPoint.version, epoch: syncPoint.epoch, of: $0, window)
        }
        isSignedOut.withLock { isSignedOut in
            guard !isSignedOut else { return }
            if let json { try? replace(by: json) } else { unlink(path) }
        }
    }

    private var path: String { url.path(percentEncoded: false) }

    private func replace(by json: [UInt8]) throws {
        let temporaryPath = path + ".new"
        let descriptor = try FileCalls.open(
            temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)
        defer { FileCalls.close(descriptor) }
        try FileCalls.write(json, to: descriptor, at: 0)
        guard rename(temporaryPath, path) == 0 else { throw DeviceFileError() }
    }

    /// Reads a file.
    ///
    /// - Returns: the first rows, and the number of all tasks of the list; nil if there is no file, or a power cut has damaged it.
    static func read(_ url: URL) throws -> (list: LocalList, count: Int)? {
        guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else {
            return nil
        }
        let json = try Array(Data(contentsOf: url))
        let count = try? JSONReader.value(of: "count", in: json) { reader throws(JSONTypeError) in
            try reader.readCount()
        }
        guard let count, let document = try? SyncMachine.document(json) else { return nil }
        return (LocalList(base: document.list, at: document.syncPoint), count)
    }
}
