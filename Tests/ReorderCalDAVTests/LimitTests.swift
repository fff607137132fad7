import Foundation
import MicroHTTP
import ReorderEngine
import Testing

@testable import ReorderCalDAV

/// Each limit from both sides.
@Suite struct LimitTests {
    private func server(_ document: String = #"{"title":"L"}"#) throws -> CalendarServer {
        let server = try CalendarServer()
        server.makeList("l", document)
        return server
    }

    private func text(_ response: Response) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    @Test func aTextHasAtMost4000Bytes() throws {
        let server = try server()
        func body(_ count: Int) -> String {
            let empty = CalendarServer.text("a", ["SUMMARY:", "X-APPLE-SORT-ORDER:500000000"])
            let title = String(repeating: "x", count: count - empty.utf8.count)
            return CalendarServer.text("a", ["SUMMARY:\(title)", "X-APPLE-SORT-ORDER:500000000"])
        }
        let path = "/dav/calendars/l/a.ics"
        #expect(server.send("PUT", path, body(4_000)).status == 201)
        #expect(text(server.send("GET", path)) == body(4_000))
        let refused = server.send("PUT", path, body(4_001))
        #expect(refused.status == 403)
        #expect(text(refused).contains("max-resource-size"))
        #expect(text(refused).contains("4000 bytes"))
    }

    @Test func aCalendarHasAtMost50000Tasks() throws {
        let lines = (0..<49_999).map {
            #"{"id":"t\#($0)","title":"T","data":{"caldav":{"order":\#(500_000_000 + $0)}}}"#
        }
        let server = try server(#"{"title":"L","tasks":[\#(lines.joined(separator: ","))]}"#)
        server.makeList("m")
        server.put("x", ["SUMMARY:X"], to: "m")
        let selection = #"<propfind xmlns="DAV:"><prop><displayname/></prop></propfind>"#
        func find() -> Response {
            server.send("PROPFIND", "/dav/calendars/l/", selection, ["Depth": "0"])
        }
        #expect(server.put("one", ["SUMMARY:One"]).status == 201)
        #expect(find().status == 207)
        for refused in [
            server.put("two", ["SUMMARY:Two"]),
            server.send(
                "MOVE", "/dav/calendars/m/x.ics", "", ["Destination": "/dav/calendars/l/x.ics"]),
        ] {
            #expect(refused.status == 507)
            #expect(text(refused).contains("50000 tasks"))
        }
        #expect(server.titles("m") == ["X"])
        server.send(
            "POST", "/lists/l/tasks", #"{"title":"Two"}"#, ["Content-Type": "application/json"])
        #expect(find().status == 507)
        #expect(server.send("GET", "/dav/calendars/l/one.ics").status == 507)
        #expect(server.send("DELETE", "/dav/calendars/l/").status == 204)
    }

    /// None of the tasks has a key, and a batch has less tasks than these.
    @Test func aLongListThatNoAppHasReadTakesATask() throws {
        let lines = (0..<10_001).map { #"{"id":"t\#($0)","title":"T"}"# }.joined(separator: ",")
        let server = try server(#"{"title":"L","tasks":[\#(lines)]}"#)
        #expect(server.put("one", ["SUMMARY:One"]).status == 201)
        #expect(server.tasks().last?.id == "one")
    }

    @Test func aRequestNamesAtMost100Properties() throws {
        let server = try server()
        func names(_ count: Int) -> String {
            (0..<count).map { #"<x\#($0) xmlns="X"/>"# }.joined()
        }
        func find(_ content: String) -> Int {
            server.send(
                "PROPFIND", "/dav/calendars/l/", #"<propfind xmlns="DAV:">\#(content)</propfind>"#,
                ["Depth": "1"]
            ).status
        }
        func patch(_ count: Int) -> Int {
            server.send(
                "PROPPATCH", "/dav/calendars/l/",
                #"<propertyupdate xmlns="DAV:"><set><prop>\#(names(count))</prop></set></propertyupdate>"#
            ).status
        }
        func make(_ count: Int) -> Int {
            server.send(
                "MKCALENDAR", "/dav/calendars/m\(count)/",
                #"<c:mkcalendar xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><set><prop>\#(names(count))</prop></set></c:mkcalendar>"#
            ).status
        }
        #expect(find("<prop>\(names(100))</prop>") == 207)
        #expect(find("<prop>\(names(101))</prop>") == 403)
        #expect(find("<allprop/><include>\(names(101))</include>") == 403)
        #expect(patch(100) == 207)
        #expect(patch(101) == 403)
        #expect(make(100) == 201)
        #expect(make(101) == 403)
    }

    @Test func aNameOfACalendarHasAtMost4096Bytes() throws {
        let server = try server()
        func send(_ method: String, _ path: String, _ element: String, _ count: Int) -> Response {
            let name = String(repeating: "x", count: count)
            return server.send(
                method, "/dav/calendars/\(path)/",
                #"<\#(element) xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><set><prop><displayname>\#(name)</displayname></prop></set></\#(element)>"#
            )
        }
        #expect(text(send("PROPPATCH", "l", "propertyupdate", 4_096)).contains("200 OK"))
        #expect(text(send("PROPPATCH", "l", "propertyupdate", 4_097)).contains("507 Insuff"))
        #expect(send("MKCALENDAR", "m", "c:mkcalendar", 4_097).status == 507)
        #expect(send("MKCALENDAR", "m", "c:mkcalendar", 4_096).status == 201)
    }

    @Test func aFilterHasAtMost100Conditions() throws {
        let server = try server()
        func query(_ count: Int) -> String {
            // The two components are conditions too.
            server.report(
                #"<c:calendar-query><prop><getetag/></prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VTODO">\#(String(repeating: "<c:prop-filter name='UID'/>", count: count - 2))</c:comp-filter></c:comp-filter></c:filter></c:calendar-query>"#
            )
        }
        #expect(!query(100).contains("valid-filter"))
        #expect(query(101).contains("valid-filter"))
        #expect(query(101).contains("100 conditions"))
    }

    @Test func aResponseHasAtMost256MiB() throws {
        let request = CalendarRequest(
            Request(method: .other("PROPFIND"), target: "/dav/"), .root, try server().service, nil,
            KnownLists())
        let empty = try request.multistatus { _ in }.body.count
        func response(_ size: Int) throws -> Response {
            let part = String(repeating: "x", count: 1 << 20)
            return try request.multistatus { writer in
                for _ in 0..<255 { writer.raw(part) }
                writer.raw(String(repeating: "x", count: size - empty - 255 << 20))
            }
        }
        #expect(try response(256 << 20).body.count == 256 << 20)
        #expect { try response(256 << 20 + 1) } throws: { ($0 as? DAVError)?.status == 507 }
    }

    @Test func manyHrefsAreAllowed() throws {
        let server = try server()
        server.put("a", ["SUMMARY:A"])
        func read(_ count: Int) -> String {
            let references = String(
                repeating: "<href>/dav/calendars/l/a.ics</href>\n", count: count)
            return server.report(
                "<c:calendar-multiget><prop><getetag/></prop>\(references)</c:calendar-multiget>")
        }
        #expect(read(50_000).components(separatedBy: "<d:response>").count == 2)
    }

    @Test func xmlIsLimited() throws {
        func accepts(_ text: String) -> Bool {
            (try? XMLReader.read(Array(text.utf8))) != nil
        }
        func deep(_ count: Int) -> String {
            String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
        }
        #expect(accepts(deep(32)) && !accepts(deep(33)))
        func spaces(_ count: Int) -> String {
            "<a " + (0..<count).map { "xmlns:n\($0)='N'" }.joined(separator: " ") + "/>"
        }
        #expect(accepts(spaces(32)) && !accepts(spaces(33)))
        func name(_ count: Int) -> String { "<\(String(repeating: "a", count: count))/>" }
        #expect(accepts(name(255)) && !accepts(name(256)))
        func nodes(_ count: Int) -> String {
            "<a>\(String(repeating: "<a/>", count: count - 2))</a>"
        }
        #expect(accepts(nodes(250_000)) && !accepts(nodes(250_001)))
    }

    @Test func aNameHasAtMost255Bytes() throws {
        let server = try server()
        func put(_ count: Int) -> Int {
            let name = String(repeating: "x", count: count)
            return server.send(
                "PUT", "/dav/calendars/l/\(name)", CalendarServer.text("u\(count)", [])
            )
            .status
        }
        #expect(put(255) == 201)
        #expect(put(256) == 404)
    }
}
