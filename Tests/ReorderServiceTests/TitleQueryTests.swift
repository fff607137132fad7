import Foundation
import RandomRuns
import Testing

@testable import ReorderService

@Suite struct TitleQueryTests {
    private func finds(_ query: String, _ title: String) -> Bool {
        var title = title
        let query = TitleQuery(query)
        return title.withUTF8 { query.matches($0) }
    }

    private struct Example: Decodable {
        var query: String
        var title: String
        var found: Bool
    }

    @Test func itFindsWhatTheWebPageFinds() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/search.json")
        let examples = try JSONDecoder().decode([Example].self, from: Data(contentsOf: file))
        #expect(examples.count > 50)
        for example in examples {
            #expect(
                finds(example.query, example.title) == example.found,
                "\(example.query) in \(example.title)")
        }
    }

    @Test func commonCharactersAreFoldedLikeAllOthers() {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x52F, 0x2000...0x206F, 0x4E00...0x9FFF, 0xFE0F...0xFE0F, 0x1F300...0x1FAFF,
        ]
        let scalars = ranges.joined().compactMap(Unicode.Scalar.init)
        for scalar in scalars {
            let text = String(scalar)
            #expect(TitleQuery.quicklyFolded(text) == TitleQuery.folded(text), "\(scalar.value)")
        }
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        for _ in 0..<RandomRun.operations(20_000) {
            var text = ""
            for _ in 0...random.below(4) {
                text.unicodeScalars.append(
                    random.chance(40)
                        ? Unicode.Scalar(UInt32(0x300 + random.below(0x70))) ?? "x"
                        : scalars[random.below(scalars.count)])
            }
            #expect(
                TitleQuery.quicklyFolded(text) == TitleQuery.folded(text),
                "REORDERD_SEED=\(seed) \(text.unicodeScalars)")
        }
        #expect(TitleQuery.quicklyFolded("한") == nil)
    }

    @Test(arguments: [1, 29, 30, 31, 2_000])
    func anyNumberOfMarksIsFolded(count: Int) {
        let accents = String(repeating: "\u{301}", count: count)
        #expect(finds("ab", "a\(accents)b") && finds("a\(accents)b", "xAB"))
        #expect(!finds("ab", "a\(accents)c"))
        // Dots below letters of Devanagari make a difference.
        let dots = String(repeating: "\u{93C}", count: count)
        #expect(finds("क\(dots)b", "aक\(dots)B") && !finds("कb", "क\(dots)b"))
    }

    /// Unicode's own property says which of them are marks.
    @Test func marksOfLatinGreekCyrillicHebrewAndArabicMakeNoDifference() {
        for scalar in (0x300...0x6FF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            let isMark = scalar.properties.generalCategory == .nonspacingMark
            #expect(finds("xb", "x\(scalar)b") == isMark, "\(scalar.value)")
        }
    }

    @Test func titlesOfASCIIAreSearchedLikeSubstrings() {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        for _ in 0..<RandomRun.operations(20_000) {
            // Few letters, so that the texts have many borders.
            let text = (0..<random.below(20)).map { _ in ["a", "A", "b"][random.below(3)] }.joined()
            let query = (0...random.below(5)).map { _ in ["a", "b"][random.below(2)] }.joined()
            #expect(
                finds(query, text) == text.lowercased().contains(query),
                "REORDERD_SEED=\(seed) \(query) in \(text)")
            #expect(
                finds(query + "é", text + "É" + text)
                    == (text.lowercased() + "e" + text.lowercased()).contains(query + "e"),
                "REORDERD_SEED=\(seed) \(query) in \(text)")
        }
    }
}
