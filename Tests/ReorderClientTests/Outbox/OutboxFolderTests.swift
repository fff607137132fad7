import Foundation
import Testing

@testable import ReorderClient

/// The names of lists' files.
@Suite struct OutboxFolderTests {
    private func withFolder(_ body: (OutboxFolder) throws -> Void) throws {
        let url = URL.temporaryDirectory.appending(path: "outbox-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try body(OutboxFolder(url: url))
    }

    /// As on disks that do not distinguish `Home` and `home`.
    @Test func namesDifferWithoutTheirCase() {
        let ids = ["home", "Home", "HOME", "hOme", "48ome", "JKLMNO", "jklmno", "a.b_c~d-E"]
        #expect(Set(ids.map { OutboxFolder.name($0).lowercased() }).count == ids.count)
        #expect(ids.allSatisfy { OutboxFolder.name($0) == OutboxFolder.name($0).lowercased() })
        // The longest id fits into a file name.
        #expect(OutboxFolder.name(String(repeating: "Z", count: 64)).utf8.count < 250)
    }

    @Test func filesOfEarlierVersionsKeepTheirContent() throws {
        try withFolder { folder in
            try folder.create()
            for name in ["Home.reorder", "home.reorder", "Jam.reorder", "Notes.txt"] {
                try Data(name.utf8).write(to: folder.url.appending(path: name))
            }
            for _ in 0..<2 {
                try folder.create()
                for list in ["Home", "home", "Jam"] {
                    #expect(
                        try Data(contentsOf: folder.file(of: list)) == Data("\(list).reorder".utf8))
                }
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
                .sorted()
            #expect(names == ["%48ome.reorder", "%4aam.reorder", "Notes.txt", "home.reorder"])
        }
    }

    /// In the background, an extension can have the lock when a rewritten file is to take the place of the former one.
    @Test func aFileThatCouldNotBeReplacedIsReplacedLater() throws {
        try withFolder { folder in
            try folder.create()
            let file = try OutboxFile(folder.file(of: "l"))
            try file.append([1])
            file.setHeld(false)
            let other = try FileCalls.open(folder.file(of: "l").path, O_RDWR | O_CLOEXEC)
            #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
            try file.prepare([2])
            #expect(throws: DeviceFileError.self) { try file.replace(keepingFrom: 1) }
            FileCalls.close(other)
            try file.append([3])
            try file.prepare([4])
            try file.replace(keepingFrom: 1)
            #expect(try file.read() == [4, 3])
            file.close(isWorthless: false)
        }
    }

    @Test func filesThatCannotBeUsedHaveAReason() throws {
        try withFolder { folder in
            try folder.create()
            let file = try OutboxFile(folder.file(of: "l"))
            let error = #expect(throws: DeviceFileError.self) {
                try OutboxFile(folder.file(of: "l"))
            }
            #expect(error?.description.contains("Another client or process") == true)
            file.close(isWorthless: false)
            #expect("\(DeviceFileError(ENOSPC))" == "No space left on device (error 28).")
        }
    }
}
