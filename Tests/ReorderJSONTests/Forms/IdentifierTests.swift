import ReorderJSON
import Testing

@Suite struct IdentifierTests {
    @Test func nonASCIIReferencesMatchNoIdAndStayDistinct() {
        #expect(Identifier.lookup("K") == "K")
        let references = ["K", "\u{212A}", "\u{212B}", "\u{E9}", "e\u{301}", "\u{FFFD}"]
        let found = references.map(Identifier.lookup)
        #expect(Set(found.map { Array($0.utf8) }).count == references.count)
        #expect(Set(found).count == references.count)
        #expect(found.filter(Identifier.isValid) == ["K"])
    }
}
