import RandomRuns
import Testing

@testable import ReorderService

@Suite struct TitleQueryTests {
    private func finds(_ query: String, _ title: String) -> Bool {
        var title = title
        let query = TitleQuery(query)
        return title.withUTF8 { query.matches($0) }
    }

    @Test func caseDoesNotMatter() {
        for (query, title) in [
            ("milk", "Buy MILK now"), ("MILK", "buy milk"), ("Straße", "HAUPTSTRASSE 1"),
            ("strasse", "Hauptstraße"), ("ΟΔΟΣ", "οδος"), ("οδοσ", "ΟΔΟΣ, οδος"),
            ("ДЕНЬ", "добрый день"), ("k", "100 \u{212A}"), ("ÉCOLE", "l'école"), ("İ", "i\u{307}"),
            ("x", "x"), ("日本", "新日本語"), ("👍🏽", "ok 👍🏽"), (" ", "a b"),
        ] {
            #expect(finds(query, title), "\(query) in \(title)")
        }
    }

    @Test func encodingsOfACharacterAreEqual() {
        for (query, title) in [
            ("e\u{301}", "caf\u{e9}"), ("caf\u{e9}", "CAFE\u{301}"),
            ("o\u{302}\u{323}", "\u{1ED9}"), ("\u{1ED9}", "O\u{323}\u{302}"),
            ("한", "\u{1112}\u{1161}\u{11AB}"), ("\u{212B}", "\u{e5}"),
        ] {
            #expect(finds(query, title), "\(query) in \(title)")
        }
    }

    @Test func accentsMatter() {
        for (query, title) in [
            ("cafe", "café"), ("e", "\u{e9}"), ("e", "e\u{301}"), ("é", "e"), ("u", "ü"),
            ("o\u{323}", "\u{1ED9}"), ("milk", "mil"), ("aab", "aaab".dropLast() + "c"),
        ] as [(String, String)] {
            #expect(!finds(query, title), "\(query) in \(title)")
        }
        // The first occurrence has an accent, and the second does not.
        #expect(finds("cafe", "café cafe"))
        #expect(finds("ee", "ee\u{301}ee"))
    }

    @Test func commonCharactersAreFoldedLikeAllOthers() {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x52F, 0x2010...0x2027, 0x4E00...0x9FFF, 0x1F300...0x1FAFF,
        ]
        for scalar in ranges.joined().compactMap(Unicode.Scalar.init) {
            let text = String(scalar)
            #expect(TitleQuery.quicklyFolded(text) == TitleQuery.folded(text), "\(scalar.value)")
        }
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        var count = 0
        for _ in 0..<RandomRun.operations(20_000) {
            var text = ""
            for _ in 0...random.below(4) {
                let value =
                    random.chance(40) ? 0x300 + random.below(0x70) : random.below(0x530)
                text.unicodeScalars.append(Unicode.Scalar(UInt32(value)) ?? "x")
            }
            guard let form = TitleQuery.quicklyFolded(text) else { continue }
            count += 1
            #expect(form == TitleQuery.folded(text), "REORDERD_SEED=\(seed) \(text.unicodeScalars)")
        }
        #expect(count > 100)
        #expect(TitleQuery.quicklyFolded("ạ\u{301}") == nil && TitleQuery.quicklyFolded("한") == nil)
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
                    == (text.lowercased() + "é" + text.lowercased()).contains(query + "é"),
                "REORDERD_SEED=\(seed) \(query) in \(text)")
        }
    }
}
