import Testing

@testable import MicroHTTP

@Suite struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    @Test(arguments: ["00-TRACE-PARENT-01", "00-TRACE-PARENT-00", "01-TRACE-PARENT-01-later"])
    func aValidFieldHasATraceAndAParent(form: String) throws {
        let context = try #require(TraceContext([Self.filled(form)]))
        #expect(context.traceID == Self.trace)
        #expect(context.parentID == Self.parent)
        #expect(context.spanID.wholeMatch(of: #/[0-9a-f]{16}/#) != nil)
        #expect(context.spanID != TraceContext([Self.filled(form)])?.spanID)
    }

    @Test(arguments: [
        [], ["00-TRACE-PARENT-01", "00-TRACE-PARENT-01"], [""], ["TRACE"], ["00-TRACE-PARENT"],
        ["ff-TRACE-PARENT-01"], ["00-TRACE-PARENT-01-more"], ["00-TRACE-PARENT-1"],
        ["0-TRACE-PARENT-01"], ["00-TRACE-PARENT-0g"], ["00-PARENT-TRACE-01"],
        ["00-00000000000000000000000000000000-PARENT-01"], ["00-TRACE-0000000000000000-01"],
        ["00-4BF92F3577B34DA6A3CE929D0E0E4736-PARENT-01"], [" 00-TRACE-PARENT-01"],
    ])
    func otherFieldsAreIgnored(values: [String]) {
        #expect(TraceContext(values.map(Self.filled)) == nil)
    }

    private static func filled(_ form: String) -> String {
        form.replacing("TRACE", with: trace).replacing("PARENT", with: parent)
    }
}
