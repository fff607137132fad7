import RandomRuns
import Testing

@testable import ReorderCalDAV

@Suite struct XMLTests {
    private func read(_ text: String) throws(XMLReader.Failure) -> XMLElement {
        try XMLReader.read(Array(text.utf8))
    }

    @Test func namespacesAreThoseOfTheirPrefixes() throws {
        let root = try read(
            #"<?xml version="1.0"?><a xmlns="DAV:" xmlns:b="B"><b:c d="1&amp;2"/><e xmlns="">x<![CDATA[<]]></e></a>"#
        )
        #expect(root.name == .dav("a"))
        #expect(root.children.map(\.name) == [XMLName("B", "c"), XMLName("", "e")])
        #expect(root.children[0].attribute("d") == "1&2")
        #expect(root.children[1].text == "x<")
    }

    @Test(arguments: [
        "", "x", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a/>x", "<a b='1' b='2'/>", "<p:a/>",
        "<:a/>", "<1/>",
        "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a>&b;</a>", "<a>&#1;</a>",
        "<a>\u{1}</a>",
        "<a xmlns:b=''/>", "<?xml version='1.0' encoding='UTF-7'?><a/>", "<a b/>", "<a b=1/>",
        "<a><!-- </a>",
    ])
    func whatIsNotXMLIsRefused(_ text: String) {
        #expect(throws: XMLReader.Failure.self) { try read(text) }
    }

    @Test func eachCharacterIsWrittenAsItIs() throws {
        let scalars = (0x20..<0x3_0000).compactMap(Unicode.Scalar.init).filter {
            $0 != "\u{7F}" && $0 != "\u{FFFE}" && $0 != "\u{FFFF}"
        }
        let text = String(String.UnicodeScalarView(scalars))
        let root = try XMLReader.read(XMLWriter.document(.dav("x")) { $0.text(text) })
        #expect(root.text.utf8.elementsEqual(text.utf8))
        let other = try XMLReader.read(
            XMLWriter.document(.dav("x")) { $0.text("\u{FFFE}\u{FFFF}") })
        #expect(other.text == "\u{FFFD}\u{FFFD}")
    }

    @Test func namespacesAreCountedWhereOneIsDeclared() throws {
        // The outermost element: 1 + 2 + … + 31.
        let prefixes = (0..<31).map { "xmlns:p\($0)='u'" }.joined(separator: " ")
        let most = (XMLReader.maximumNamespacesInAll - 31 * 32 / 2) / 31
        func body(_ count: Int) -> String {
            "<a \(prefixes)>\(String(repeating: "<b xmlns:p0='v'/>", count: count))</a>"
        }
        #expect(try read(body(most)).children.count == most)
        #expect(throws: XMLReader.Failure.self) { try read(body(most + 1)) }
    }

    @Test func eachNameOfATaskCanDeclareItsNamespace() throws {
        let names = String(repeating: "<A:href xmlns:A='DAV:'>x</A:href>", count: 20_000)
        let root = try read("<C:calendar-multiget xmlns:C='c'>\(names)</C:calendar-multiget>")
        #expect(root.children.count == 20_000)
    }

    @Test func attributesCountAsElements() throws {
        func body(_ count: Int) -> String {
            "<a \((0..<count).map { "b\($0)=''" }.joined(separator: " "))/>"
        }
        #expect(try read(body(XMLReader.maximumNodes - 1)).attributes.count == 249_999)
        #expect(throws: XMLReader.Failure.self) { try read(body(XMLReader.maximumNodes)) }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        #expect(throws: XMLReader.Failure.self) { try XMLReader.read([0x3C, 0xFF, 0x2F, 0x3E]) }
    }

    /// Random changes of a body: it is read or refused, and what was read is written and read again.
    @Test func whatIsReadCanBeWritten() {
        var random = SeededGenerator(seed: RandomRun.seed)
        let sample = Array(
            #"<c:q xmlns="DAV:" xmlns:c="C" a="b"><prop>x&lt;<c:d e='f'/></prop><!-- g --><c:f>&#65;</c:f></c:q>"#
                .utf8)
        let bytes = Array(#"<>/="'&;:!-[]?abcxmlns# "#.utf8)
        for _ in 0..<RandomRun.operations(5_000) {
            var body = sample
            for _ in 0..<random.below(6) {
                let place = random.below(body.count)
                switch random.below(3) {
                case 0: body.remove(at: place)
                case 1: body.insert(bytes.randomElement(using: &random) ?? 0, at: place)
                default: body[place] = UInt8(random.below(256))
                }
            }
            guard let element = try? XMLReader.read(body) else { continue }
            let written = XMLWriter.document(.dav("x")) { $0.copy(element) }
            #expect(throws: Never.self, "seed \(RandomRun.seed)") {
                try XMLReader.read(written)
            }
        }
    }
}
