import ReorderJSON
import Testing

@Suite struct JSONWriterTests {
    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func commasAreInserted() {
        let text = written { writer in
            writer.beginObject()
            writer.name("empty")
            writer.beginObject()
            writer.endObject()
            writer.name("list")
            writer.beginArray()
            writer.int(1)
            writer.beginArray()
            writer.endArray()
            writer.bool(true)
            writer.null()
            writer.raw("{\"x\":[]}".utf8)
            writer.string("s")
            writer.endArray()
            writer.name(escaping: "a\"b")
            writer.bool(false)
            writer.endObject()
        }
        #expect(text == #"{"empty":{},"list":[1,[],true,null,{"x":[]},"s"],"a\"b":false}"#)
    }

    @Test(arguments: [0, 7, 9, 10, -1, -10, 12_345, Int.max, Int.min])
    func integersAreWrittenInFull(value: Int) {
        #expect(written { $0.int(value) } == String(value))
    }

    @Test func onlyRequiredCharactersAreEscaped() {
        #expect(written { $0.string("") } == "\"\"")
        #expect(written { $0.string("\"\\/é日😹\u{7F}\u{2028}") } == "\"\\\"\\\\/é日😹\u{7F}\u{2028}\"")
        #expect(
            written { $0.string("\u{8}\t\n\u{C}\r\u{1}\u{1F}") } == #""\b\t\n\f\r\u0001\u001f""#)
        #expect(written { $0.string("12345678\n12345678\"") } == #""12345678\n12345678\"""#)
    }

    @Test func everyScalarBelowTheSurrogatesIsReadUnchanged() throws {
        for value in UInt32(1)..<0x3000 {
            let text = "ab" + String(Unicode.Scalar(value).map(Character.init) ?? "?")
            var writer = JSONWriter()
            writer.string(text)
            var reader = JSONReader(try JSONText(checking: writer.bytes))
            #expect(try Array(reader.readString().utf8) == Array(text.utf8))
        }
    }
}
