import Testing

@testable import ReorderAuth

@Suite struct ListPatternsTests {
    @Test func anIdMatchesItselfAndAPrefixMatchesAllIdsThatBeginWithIt() throws {
        let patterns = try #require(ListPatterns(["menu", "family-*"]))
        for list in ["menu", "family-", "family-1", "family-x.y~z_0"] {
            #expect(patterns.allow(list), "\(list)")
        }
        for list in ["", "men", "menu1", "Menu", "family", "familx-1", "my-family-1", "*"] {
            #expect(!patterns.allow(list), "\(list)")
        }
    }

    @Test func aStarAloneMatchesAllLists() throws {
        #expect(try #require(ListPatterns(["a", "*"])) == .all)
        #expect(ListPatterns.all.allow("anything"))
        #expect(ListPatterns.all.runs == nil)
    }

    @Test func theRangesAreOrderedAndDoNotOverlap() throws {
        let patterns = try #require(
            ListPatterns(["b", "a-x", "a-*", "a-y*", "c*", "c*", "a", "c"]))
        #expect(
            patterns.runs == [
                .init(start: "a", isPrefix: false), .init(start: "a-", isPrefix: true),
                .init(start: "b", isPrefix: false), .init(start: "c", isPrefix: true),
            ])
    }

    @Test(arguments: [
        ([], "It has 0 patterns; 1 to 100 are allowed."),
        (Array(repeating: "a", count: 101), "It has 101 patterns; 1 to 100 are allowed."),
        (["a", "b*", "a*b"], "Pattern 3 is neither a list's id nor a prefix followed by *."),
        (["a", "b*"], nil),
    ])
    func theFaultOfPatternsIsNamed(patterns: [String], fault: String?) {
        #expect(ListPatterns.fault(of: patterns) == fault)
    }

    @Test(arguments: [
        [], [""], ["a*b"], ["*a"], ["**"], ["a b"], ["a/b"], ["é"], ["e\u{301}*"],
        // A combining character, which forms one character with the star.
        ["\u{600}*"], ["a\u{600}*"],
        [String(repeating: "a", count: 65)], Array(repeating: "a", count: 101),
    ])
    func malformedPatternsAreRefused(patterns: [String]) {
        #expect(ListPatterns(patterns) == nil)
        #expect(ListPatterns.fault(of: patterns) != nil)
    }

    @Test func theLongestIdAndTheMaximumNumberOfPatternsAreAccepted() {
        #expect(ListPatterns([String(repeating: "a", count: 64)]) != nil)
        #expect(ListPatterns((0..<100).map { "a\($0)" })?.runs?.count == 100)
    }
}
