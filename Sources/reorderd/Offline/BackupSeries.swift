import ArgumentParser
import Foundation

/// The copies of a store in a folder, each named after the time when it was made.
struct BackupSeries {
    private let folder: URL
    private let stem: String
    private let ending: String

    init(of source: String, in folder: String) {
        let source = URL(fileURLWithPath: source)
        self.folder = URL(fileURLWithPath: folder)
        stem = source.deletingPathExtension().lastPathComponent + "-"
        ending = source.pathExtension.isEmpty ? "" : ".\(source.pathExtension)"
    }

    func newPath() -> String {
        let format = Date.ISO8601FormatStyle(
            dateSeparator: .omitted, timeSeparator: .omitted, includingFractionalSeconds: true)
        return folder.appending(path: "\(stem)\(Date.now.formatted(format))\(ending)").path
    }

    /// Removes the oldest copies, by their names, until this number is left. The new copy is left, even
    /// if the clock was ahead when another one was made.
    func removeOldest(keeping count: Int, including new: String) throws {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let newName = URL(fileURLWithPath: new).lastPathComponent
            let others = names.filter { isCopy($0) && $0 != newName }
            for name in others.sorted().dropLast(count - 1) {
                try FileManager.default.removeItem(at: folder.appending(path: name))
            }
        } catch {
            throw failure(
                "old copies can't be removed: \(error.localizedDescription)", EX_IOERR)
        }
    }

    private func isCopy(_ name: String) -> Bool {
        guard name.hasPrefix(stem), name.hasSuffix(ending) else { return false }
        return name.dropFirst(stem.count).dropLast(ending.count)
            .wholeMatch(of: #/\d{8}T\d{6}\.\d{3}Z/#) != nil
    }
}
