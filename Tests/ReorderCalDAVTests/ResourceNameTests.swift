import Testing

@testable import ReorderCalDAV

@Suite struct ResourceNameTests {
    @Test(arguments: [
        "abc.ics", "8A2F-1.ics", "user@example.org.ics", "a~b.ics", "ä.ics", "a b.ics",
    ])
    func aNameFollowsFromItsID(_ name: String) throws {
        let id = try #require(ResourceName.id(for: name))
        #expect(ResourceName.name(for: id) == name)
        let other = try #require(ResourceName.id(id, suffix: "0123abcd"))
        #expect(other != id)
        #expect(ResourceName.name(for: other) == name)
    }

    @Test(arguments: ["a~b", "~", "a~2Fb", "~41", "~~x", "plain"])
    func eachIDHasAName(_ id: String) {
        let name = ResourceName.name(for: id)
        #expect(name.hasSuffix(".ics"))
        #expect(!name.contains("/"))
    }
}
