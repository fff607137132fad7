import Foundation
import MicroHTTP
import Testing

@testable import ReorderCalDAV

@Suite struct ProtocolTests {
    private func server() throws -> CalendarServer {
        let server = try CalendarServer()
        server.makeList()
        server.put("a", ["SUMMARY:A", "X-APPLE-SORT-ORDER:500000000"])
        return server
    }

    private func text(_ response: Response) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    @Test func aClientFindsTheLists() throws {
        let server = try server()
        let start = server.send("PROPFIND", "/.well-known/caldav")
        #expect(start.status == 301)
        #expect(start.headers["Location"] == "/dav/")
        let classes = server.send("OPTIONS", "/dav/calendars/l/").headers["DAV"]
        #expect(classes == "1, 3, access-control, calendar-access, extended-mkcol")
        func find(_ path: String, _ property: String, _ depth: String = "0") -> String {
            text(
                server.send(
                    "PROPFIND", path,
                    #"<propfind xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><prop>\#(property)</prop></propfind>"#,
                    ["Depth": depth]))
        }
        #expect(
            find("/dav/", "<current-user-principal/>").contains(
                "<d:current-user-principal><d:href>/dav/principal/</d:href>"))
        #expect(
            find("/dav/principal/", "<c:calendar-home-set/>").contains(
                "<c:calendar-home-set><d:href>/dav/calendars/</d:href>"))
        let lists = find("/dav/calendars/", "<displayname/><resourcetype/>", "1")
        #expect(lists.contains("<d:href>/dav/calendars/l/</d:href>"))
        #expect(lists.contains("<d:displayname>L</d:displayname>"))
        #expect(lists.contains("<c:calendar/>"))
        let tasks = find("/dav/calendars/l/", "<getetag/><none/>", "1")
        #expect(tasks.contains("/dav/calendars/l/a.ics"))
        #expect(tasks.contains("<d:none/></d:prop><d:status>HTTP/1.1 404 Not Found"))
    }

    @Test func infiniteDepthIsRefused() throws {
        let server = try server()
        for depth in ["infinity", nil] {
            let response = server.send(
                "PROPFIND", "/dav/calendars/l/", "", depth.map { ["Depth": $0] } ?? [:])
            #expect(response.status == 403)
            #expect(text(response).contains("propfind-finite-depth"))
        }
    }

    @Test func conditionsHold() throws {
        let server = try server()
        let tag = try #require(server.send("GET", "/dav/calendars/l/a.ics").headers["ETag"])
        #expect(server.put("a", [], ["If-None-Match": "*"]).status == 412)
        #expect(server.put("a", [], ["If-Match": "\"x\""]).status == 412)
        #expect(server.put("b", [], ["If-Match": "*"]).status == 412)
        #expect(server.put("a", ["SUMMARY:B"], ["If-Match": tag]).status == 204)
        #expect(server.put("a", ["SUMMARY:C"], ["If-Match": tag]).status == 412)
        #expect(
            server.send("DELETE", "/dav/calendars/l/a.ics", "", ["If-Match": tag]).status == 412)
        #expect(server.titles() == ["B"])
    }

    @Test func aTextIsEditedWhereTheTaskChanged() throws {
        let server = try server()
        server.put(
            "a",
            [
                "X-FOO:bar", "SUMMARY;LANGUAGE=en:A", "STATUS:IN-PROCESS",
                "DUE;TZID=Europe/Berlin:20261205T090000",
                "CATEGORIES:x,y", "X-APPLE-SORT-ORDER:500000000",
            ])
        let task = try #require(server.tasks().first)
        #expect(task.content.data?.contains(#""due":"2026-12-05T09:00:00+01:00""#) == true)
        #expect(task.content.data?.contains(#""labels":["x","y"]"#) == true)
        let json = ["Content-Type": "application/json"]
        server.send("PATCH", "/tasks/a", #"{"done":true,"data":{"notes":"n"}}"#, json)
        var lines = server.lines("a")
        for line in [
            "X-FOO:bar", "SUMMARY;LANGUAGE=en:A", "DUE;TZID=Europe/Berlin:20261205T090000",
            "CATEGORIES:x,y",
            "STATUS:COMPLETED", "PERCENT-COMPLETE:100", "DESCRIPTION:n",
        ] {
            #expect(lines.contains(line))
        }
        server.send(
            "PATCH", "/tasks/a", #"{"done":false,"title":"B","data":{"due":"2026-12-06"}}"#, json)
        lines = server.lines("a")
        #expect(lines.contains("STATUS:IN-PROCESS"))
        #expect(lines.contains("SUMMARY;LANGUAGE=en:A") == false && lines.contains("SUMMARY:B"))
        #expect(lines.contains("DUE;VALUE=DATE:20261206"))
        #expect(!lines.contains { $0.hasPrefix("COMPLETED") })
    }

    @Test func whatCanNotBeStoredIsRefused() throws {
        let server = try server()
        #expect(
            text(server.send("PUT", "/dav/calendars/l/x.ics", "x")).contains(
                "valid-calendar-data"))
        let event = CalendarServer.text("x", []).replacing("VTODO", with: "VEVENT")
        #expect(
            text(server.send("PUT", "/dav/calendars/l/x.ics", event)).contains(
                "supported-calendar-component"))
        let same = server.send("PUT", "/dav/calendars/l/x.ics", CalendarServer.text("a", []))
        #expect(same.status == 403)
        #expect(text(same).contains("no-uid-conflict><d:href>/dav/calendars/l/a.ics"))
        let long = server.put("x", ["DESCRIPTION:" + String(repeating: "x", count: 4_000)])
        #expect(text(long).contains("max-resource-size"))
        #expect(
            server.put("x", ["DESCRIPTION:" + String(repeating: "\\\\", count: 1_900)]).status
                == 403)
        #expect(server.put("x", [], to: "none").status == 409)
        #expect(
            server.send("PUT", "/dav/calendars/l/x.ics", "{}", ["Content-Type": "application/json"])
                .status == 403)
        #expect(server.titles() == ["A"])
    }

    @Test func namesOfAllKindsAreKept() throws {
        let server = try server()
        server.makeList("m")
        for name in ["u%40example.org.ics", "a%20b.ics", "plain", "%C3%A4.ics"] {
            let path = "/dav/calendars/l/\(name)"
            #expect(server.send("PUT", path, CalendarServer.text("uid \(name)", [])).status == 201)
            #expect(server.send("GET", path).status == 200)
            let list = text(server.send("PROPFIND", "/dav/calendars/l/", "", ["Depth": "1"]))
            #expect(list.contains(path.replacing("%40", with: "@")))
        }
        // The same name in another list, whose id is used.
        #expect(server.put("a", ["SUMMARY:Other"], to: "m").status == 201)
        #expect(server.lines("a", of: "m").contains("SUMMARY:Other"))
        #expect(server.lines("a").contains("SUMMARY:A"))
        #expect(server.send("DELETE", "/dav/calendars/m/a.ics").status == 204)
    }

    @Test func syncReportsChanges() throws {
        let server = try server()
        let (all, first) = try server.sync("")
        #expect(all == ["a.ics"])
        server.put("b@h", ["SUMMARY:B"])
        server.send("PATCH", "/tasks/a", #"{"title":"X"}"#, ["Content-Type": "application/json"])
        let (changed, second) = try server.sync(first)
        #expect(changed == ["a.ics", "b@h.ics"])
        server.send("DELETE", "/dav/calendars/l/b@h.ics")
        #expect(try server.sync(second).0 == ["-b@h.ics"])
        #expect(try server.sync(try server.sync(second).1).0.isEmpty)
        for token in ["x", "urn:reorderd:l:1-other", "urn:reorderd:m:1-\(server.service.epoch)"] {
            let answer = server.report(
                "<sync-collection><sync-token>\(token)</sync-token><prop/></sync-collection>")
            #expect(answer.contains("valid-sync-token"))
        }
    }

    @Test func syncReportsDeletedSubtasks() throws {
        let server = try server()
        server.put("b", ["RELATED-TO:a"])
        server.put("c", ["RELATED-TO:b"])
        let token = try server.sync("").1
        #expect(server.send("DELETE", "/tasks/a").status == 200)
        server.put("d", [])
        #expect(try server.sync(token).0 == ["-a.ics", "-b.ics", "-c.ics", "d.ics"])
    }

    @Test func aLimitedSyncIsContinued() throws {
        let server = try server()
        for name in ["b", "c", "d", "e"] { server.put(name, []) }
        var (names, token) = try server.sync("", limit: 2)
        #expect(names == ["a.ics", "b.ics", "!l"])
        server.send("DELETE", "/dav/calendars/l/a.ics")
        server.send("DELETE", "/dav/calendars/l/e.ics")
        (names, token) = try server.sync(token, limit: 2)
        #expect(names == ["-a.ics", "c.ics", "!l"])
        (names, token) = try server.sync(token, limit: 2)
        #expect(names == ["d.ics"])
        server.put("f", [])
        server.put("g", [])
        (names, token) = try server.sync(token, limit: 1)
        #expect(names == ["f.ics", "!l"])
        #expect(try server.sync(token, limit: 1).0 == ["g.ics"])
    }

    @Test func calendarsAreMadeAndChanged() throws {
        let server = try server()
        let make =
            #"<mkcol xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><set><prop><resourcetype><collection/><c:calendar/></resourcetype><displayname>New</displayname><a:calendar-color xmlns:a="http://apple.com/ns/ical/">#FF0000</a:calendar-color></prop></set></mkcol>"#
        #expect(server.send("MKCOL", "/dav/calendars/n/", make).status == 201)
        #expect(server.send("MKCOL", "/dav/calendars/n/", make).status == 405)
        #expect(server.send("MKCOL", "/dav/calendars/p/").status == 403)
        #expect(server.send("MKCALENDAR", "/dav/calendars/a%20b/").status == 403)
        #expect(server.send("MKCALENDAR", "/dav/calendars/o/").status == 201)
        func patch(_ content: String) -> String {
            text(
                server.send(
                    "PROPPATCH", "/dav/calendars/n/",
                    #"<propertyupdate xmlns="DAV:" xmlns:x="X">\#(content)</propertyupdate>"#))
        }
        #expect(
            patch("<set><prop><displayname>T</displayname><x:y><x:z>1</x:z></x:y></prop></set>")
                .contains("200 OK"))
        #expect(
            patch("<set><prop><displayname>U</displayname><getetag>1</getetag></prop></set>")
                .contains("424"))
        #expect(
            patch("<set><prop><x:y>\(String(repeating: "x", count: 9_000))</x:y></prop></set>")
                .contains("507"))
        let all = text(server.send("PROPFIND", "/dav/calendars/n/", "", ["Depth": "0"]))
        #expect(all.contains("<d:displayname>T</d:displayname>"))
        #expect(all.contains("<a:calendar-color>#FF0000</a:calendar-color>"))
        #expect(all.contains(">1</x:z>"))
        #expect(server.send("DELETE", "/dav/calendars/n/").status == 204)
        #expect(server.send("PROPFIND", "/dav/calendars/n/", "", ["Depth": "0"]).status == 404)
    }

    @Test func tasksAreCopiedAndMoved() throws {
        let server = try server()
        server.makeList("m")
        server.put("s", ["SUMMARY:S", "RELATED-TO:a"])
        func to(_ path: String) -> [String: String] {
            ["Destination": "http://host:80/dav/calendars/\(path)", "Host": "host"]
        }
        let elsewhere = ["Destination": "http://other/dav/calendars/l/b.ics", "Host": "host"]
        #expect(server.send("MOVE", "/dav/calendars/l/a.ics", "", elsewhere).status == 502)
        #expect(server.send("COPY", "/dav/calendars/l/a.ics", "", to("m/a.ics")).status == 201)
        #expect(server.titles("m") == ["A"])
        #expect(server.send("COPY", "/dav/calendars/l/a.ics", "", to("l/b.ics")).status == 403)
        #expect(server.send("MOVE", "/dav/calendars/l/a.ics", "", to("l/b.ics")).status == 201)
        #expect(server.titles() == ["A", "  S"])
        #expect(server.lines("b").contains("UID:a"))
        #expect(server.send("GET", "/dav/calendars/l/a.ics").status == 404)
        #expect(server.send("MOVE", "/dav/calendars/l/b.ics", "", to("m/b.ics")).status == 403)
        server.send("DELETE", "/dav/calendars/m/a.ics")
        #expect(server.send("MOVE", "/dav/calendars/l/b.ics", "", to("m/c.ics")).status == 201)
        #expect(server.titles().isEmpty)
        #expect(server.titles("m") == ["A", "  S"])
        #expect(server.lines("c", of: "m").contains("UID:a"))
        server.put("d", ["SUMMARY:D"], to: "m")
        let refused = ["Destination": "/dav/calendars/m/d.ics", "Overwrite": "F"]
        #expect(server.send("MOVE", "/dav/calendars/m/c.ics", "", refused).status == 412)
        #expect(server.send("MOVE", "/dav/calendars/m/c.ics", "", to("m/d.ics")).status == 204)
        #expect(server.titles("m") == ["A", "  S"])
    }

    @Test func queriesFilter() throws {
        let server = try server()
        server.put("b", ["SUMMARY:Big apple", "DUE:20261205T090000Z", "STATUS:COMPLETED"])
        server.put(
            "c",
            ["SUMMARY:c", "DTSTART:20261210T090000Z", "DURATION:PT1H", "ATTACH;FMTTYPE=text/x:y"])
        func names(_ filter: String) -> String {
            let answer = server.report(
                #"<c:calendar-query><prop><getetag/></prop><c:filter><c:comp-filter name="VCALENDAR">"#
                    + #"<c:comp-filter name="VTODO">\#(filter)</c:comp-filter></c:comp-filter></c:filter></c:calendar-query>"#
            )
            return ["a", "b", "c"].filter { answer.contains("/\($0).ics") }.joined()
        }
        #expect(names("") == "abc")
        #expect(
            names(
                #"<c:prop-filter name="SUMMARY"><c:text-match>APPLE</c:text-match></c:prop-filter>"#
            ) == "b")
        #expect(
            names(
                #"<c:prop-filter name="SUMMARY"><c:text-match collation="i;octet">APPLE</c:text-match></c:prop-filter>"#
            ) == "")
        #expect(
            names(
                #"<c:prop-filter name="SUMMARY"><c:text-match negate-condition="yes">apple</c:text-match></c:prop-filter>"#
            ) == "ac")
        #expect(
            names(#"<c:prop-filter name="COMPLETED"><c:is-not-defined/></c:prop-filter>"#) == "abc")
        #expect(names(#"<c:prop-filter name="DUE"/>"#) == "b")
        #expect(
            names(
                #"<c:prop-filter name="ATTACH"><c:param-filter name="FMTTYPE"><c:text-match>text</c:text-match></c:param-filter></c:prop-filter>"#
            ) == "c")
        #expect(names(#"<c:time-range start="20261204T000000Z" end="20261206T000000Z"/>"#) == "ab")
        #expect(names(#"<c:time-range start="20261210T093000Z" end="20261211T000000Z"/>"#) == "ac")
        #expect(
            names(#"<c:comp-filter name="VALARM"><c:is-not-defined/></c:comp-filter>"#) == "abc")
        let wrong = server.report("<c:calendar-query><prop/><c:filter/></c:calendar-query>")
        #expect(wrong.contains("valid-filter"))
        let several = server.report(
            "<c:calendar-multiget><prop><c:calendar-data/></prop><href>/dav/calendars/l/b.ics</href>"
                + "<href>/dav/calendars/l/none.ics</href><href>/dav/calendars/m/a.ics</href></c:calendar-multiget>"
        )
        #expect(several.contains("SUMMARY:Big apple&#13;\n"))
        #expect(several.components(separatedBy: "404 Not Found").count == 3)
    }
}
