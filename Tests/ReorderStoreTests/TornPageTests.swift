import Foundation
import GRDB
import ReorderStore
import Testing

@testable import SQLiteStore

/// A power cut leaves some sectors of a page as they were before. The log has the whole page.
@Suite struct TornPageTests {
    @Test func aSectorThatWasNotWrittenIsNoSignOfACopy() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let torn = directory.appendingPathComponent("torn.db").path
            func content() throws -> (bytes: [UInt8], opening: Int) {
                let bytes = try Data(contentsOf: URL(filePath: path))
                try bytes.write(to: URL(filePath: torn))
                let opening = try inDatabase(torn) {
                    try Int.fetchOne($0, sql: "SELECT opening FROM origin")
                }
                return (Array(bytes), opening ?? 0)
            }
            for round in 1...3 {
                var former = try round == 1 ? nil : content()
                let store = try SQLiteListStore(path: path)
                for step in 0..<2 {
                    if step == 0 {
                        try store.prepareToWrite()
                    } else {
                        try store.keep(trustedTime: Int64(round) << 40)
                        try store.fill("l\(round)", to: 10)
                        try store.close()
                    }
                    let new = try content()
                    defer { former = new }
                    guard let former, former.bytes.count == new.bytes.count else { continue }
                    let mark = try DurabilityMark(databasePath: torn, in: POSIXFileSystem())
                    mark.record(opening: new.opening, orFormer: former.opening)
                    for start in stride(from: 0, to: new.bytes.count, by: 512) {
                        for (most, one) in [(former, new), (new, former)] {
                            let sector = start..<start + 512
                            guard most.bytes[sector] != one.bytes[sector] else { continue }
                            var bytes = most.bytes
                            bytes[sector] = one.bytes[sector]
                            try Data(bytes).write(to: URL(filePath: torn))
                            let group = try FileGroup(path: torn, in: POSIXFileSystem())
                            #expect(throws: Never.self, "round \(round), step \(step), \(start)") {
                                try group.check(mark.content)
                            }
                        }
                    }
                }
            }
        }
    }
}
