import Testing

@testable import ReorderEngine

/// Texts of all sizes share pages of memory, which are compacted as texts are removed.
@Suite struct LargeTextTests {
    @Test func textsAreRewrittenWithEverySizeUpToTheLargest() throws {
        var list = ReorderableList(settings: ListSettings(title: "l"))
        for id in ["a", "b", "c"] { _ = try list.create(TaskContent(id: id, title: id)) }
        var titles = ["a": "a", "b": "b", "c": "c"]
        var data: [String: String] = [:]
        for round in 0..<3_000 {
            let id = ["a", "b", "c"][round % 3]
            let text = String(repeating: "xyz", count: 1 + round * 7_919 % 2_731)
            if round % 2 == 0 {
                _ = try list.update(id, TaskUpdate(title: text))
                titles[id] = text
            } else {
                _ = try list.update(id, TaskUpdate(data: .set(text)))
                data[id] = text
            }
            for id in ["a", "b", "c"] {
                #expect(list.task(id)?.content.title == titles[id])
                #expect(list.task(id)?.content.data == data[id])
            }
        }
        #expect(list.checkInvariants() == nil)
    }

    @Test func textsThatDifferInOneByteAreNotEqual() {
        for count in 0...33 {
            let text = (0..<count).map { UInt8($0) }
            var other = text
            func areEqual() -> Bool {
                text.withUnsafeBufferPointer { text in
                    other.withUnsafeBufferPointer { TextBlock.areEqual(text, $0) }
                }
            }
            #expect(areEqual())
            for index in 0..<count {
                other[index] ^= 1
                #expect(!areEqual(), "\(count) bytes, at \(index)")
                other[index] ^= 1
            }
        }
    }

    @Test func oneTextIsRewrittenInPlace() throws {
        for bytes in [100, 1_000, 4_000, 5_000, 7_500, 8_192] {
            var list = ReorderableList(settings: ListSettings(title: "l"))
            _ = try list.create(TaskContent(id: "t", title: "t"))
            for round in 0..<60 {
                let text = String(repeating: round % 2 == 0 ? "a" : "b", count: bytes)
                _ = try list.update("t", TaskUpdate(data: .set(text)))
                #expect(list.task("t")?.content.data == text, "\(bytes) bytes, round \(round)")
            }
        }
    }
}
