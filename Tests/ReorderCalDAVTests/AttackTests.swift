import Foundation
import FoundationXML
import MicroHTTP
import ReorderAPI
import ReorderEngine
import Synchronization
import Testing

@testable import ReorderCalDAV

/// What one client must not be able to do to the server, or to others.
@Suite struct AttackTests {
    private let json = ["Content-Type": "application/json"]

    private func server() throws -> CalendarServer {
        let server = try CalendarServer()
        server.makeList()
        for name in ["a", "b", "c"] { server.put(name, ["SUMMARY:\(name)"]) }
        return server
    }

    private func text(_ response: Response) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    /// The paths of the tasks, if the answer is valid XML.
    private func paths(_ server: CalendarServer) throws -> [String] {
        let answer = server.send("PROPFIND", "/dav/calendars/l/", "", ["Depth": "1"])
        #expect(answer.status == 207)
        let root = try XMLReader.read(answer.body)
        return root.children.dropFirst().compactMap { $0.child(.dav("href"))?.text }
    }

    private func patch(_ server: CalendarServer, _ property: String) -> Response {
        server.send(
            "PROPPATCH", "/dav/calendars/l/",
            #"<propertyupdate xmlns="DAV:" xmlns:x="X" xmlns:z="Z"><set><prop>\#(property)</prop></set></propertyupdate>"#
        )
    }

    // MARK: Numbers

    @Test func aLongDurationIsNoCrash() throws {
        let server = try server()
        let duration = "P" + String(repeating: "999999999W", count: 40)
        server.put("d", ["DTSTART:20261201T090000Z", "DURATION:\(duration)"])
        let answer = server.report(
            #"<c:calendar-query><prop><getetag/></prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VTODO"><c:time-range start="20261130T000000Z" end="20261202T000000Z"/></c:comp-filter></c:comp-filter></c:filter></c:calendar-query>"#
        )
        #expect(answer.contains("/d.ics"))
    }

    @Test(arguments: [("x", Int.max), ("z", Int.min), ("z", Int.max)])
    func aHugeKeyIsIgnored(task: String, key: Int) throws {
        let server = try CalendarServer()
        let tasks = ["x", "y", "z"].map { #"{"id":"\#($0)","title":"\#($0)"}"# }
        server.makeList("l", #"{"title":"L","tasks":[\#(tasks.joined(separator: ","))]}"#)
        server.send("PATCH", "/tasks/\(task)", #"{"data":{"caldav":{"order":\#(key)}}}"#, json)
        #expect(server.put("d", ["SUMMARY:d"]).status == 201)
        #expect(try paths(server).count == 4)
        let keys = server.keys()
        let inOrder = server.tasks().compactMap { keys[$0.id] }
        #expect(inOrder.count == 4 && inOrder == inOrder.sorted())
    }

    // MARK: XML

    @Test(arguments: [
        "<x:a}b/>", "<x:a!/>", "<x:y><x:w a!='1'/></x:y>",
        "<x:y><x:w :='1'/></x:y>", "<x:y><x:w 1='1'/></x:y>", "<xml:y/>",
        "<y xmlns='http://www.w3.org/2000/xmlns/'/>", "<x:y>&#xFFFF;</x:y>",
        "<x:y><x:w a='&#xFFFE;'/></x:y>", "<x:y><x:w a='&#1;'/></x:y>",
        "<xmly:y xmlns:xmly='Y'/>", "<x:\u{10400}/>",
    ])
    func aPropertyCanNotMakeResponsesInvalid(property: String) throws {
        let server = try server()
        #expect(patch(server, property).status == 400)
        #expect(isXML(server.send("PROPFIND", "/dav/calendars/l/", "", ["Depth": "0"])))
    }

    /// As other programs read it.
    private func isXML(_ response: Response) -> Bool {
        let parser = XMLParser(data: Data(response.body))
        parser.shouldProcessNamespaces = true
        return parser.parse()
    }

    @Test func attributesOfOneNameAreNotRepeated() throws {
        let server = try server()
        #expect(patch(server, "<x:y><x:w x:a='1' z:a='2'/></x:y>").status == 207)
        #expect(isXML(server.send("PROPFIND", "/dav/calendars/l/", "", ["Depth": "0"])))
    }

    @Test func attributesKeepTheirPlace() throws {
        let server = try server()
        #expect(
            patch(server, "<x:y xml:lang='en'><x:w xml:lang='de' x:a='1' b='2'/></x:y>").status
                == 207)
        let all = text(server.send("PROPFIND", "/dav/calendars/l/", "", ["Depth": "0"]))
        #expect(all.contains(#"<x:w xmlns:x="X" xml:lang="de" b="2"></x:w>"#))
    }

    @Test func aTitleCanNotMakeResponsesInvalid() throws {
        let server = try server()
        server.send("PATCH", "/lists/l", #"{"title":"A\#u{FFFF}B"}"#, json)
        let all = text(server.send("PROPFIND", "/dav/calendars/l/", "", ["Depth": "0"]))
        #expect(all.contains("<d:displayname>A\u{FFFD}B</d:displayname>"))
    }

    @Test func storedPropertiesThatAreNoXMLAreIgnored() throws {
        let server = try server()
        for (name, value) in [("{X}a b", "1"), ("{X}y", "<"), ("{X}y", "</x:y><x:y>"), ("y", "1")] {
            let data = try String(
                decoding: JSONSerialization.data(
                    withJSONObject: ["data": ["caldav": [name: value, "{X}good": "<x>1</x>"]]]),
                as: UTF8.self)
            #expect(server.send("PATCH", "/lists/l", data, json).status == 200)
            let answer = server.send("PROPFIND", "/dav/calendars/l/", "", ["Depth": "0"])
            let names = try XMLReader.read(answer.body).children[0].children[1].children[0].children
            #expect(names.last?.name == XMLName("X", "good"))
            #expect(names.count == 5)
        }
    }

    // MARK: Event loops

    /// Whether a worker does a part of the job.
    private func isWork(_ job: Job) throws -> Bool {
        switch job {
        case .work: return true
        case .wait(let begin):
            let next = Mutex<Job.Next?>(nil)
            let isReady = DispatchSemaphore(value: 0)
            begin { made in
                next.withLock { $0 = made }
                isReady.signal()
            }
            isReady.wait()
            return try isWork(#require(try next.withLock { $0 }?()))
        default: return false
        }
    }

    @Test(arguments: [
        #"<c:calendar-multiget xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><href>/dav/calendars/l/a.ics</href></c:calendar-multiget>"#,
        #"<c:calendar-query xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><c:filter><c:comp-filter name="VCALENDAR"/></c:filter></c:calendar-query>"#,
    ])
    func aReportIsWorkAlsoForAShortList(body: String) throws {
        let request = Request(
            method: .other("REPORT"), target: "/dav/calendars/l/", body: Array(body.utf8))
        let service = try server().service
        #expect(
            try isWork(CalendarRequest(request, .list("l"), service, nil, KnownLists()).begin()))
    }

    /// The event loop does what looks at one task of a long list; a worker looks at all tasks.
    @Test func aTextThatStaysInItsPlaceIsNoWork() throws {
        let server = try server()
        for number in 0..<40 { server.put("t\(number)", ["SUMMARY:\(number)"]) }
        let key = try #require(server.keys()["t1"])
        let version = try #require(
            text(server.send("GET", "/lists/l")).firstMatch(of: /"version":(\d+)/))
        let known = KnownLists()
        try known.note("l", ascendsAt: #require(Int(version.1)), until: nil)
        func isWork(_ method: HTTPMethod, _ lines: [String] = []) throws -> Bool {
            let path = "/dav/calendars/l/t1.ics"
            let body = Array(CalendarServer.text("t1", lines).utf8)
            let request = Request(method: method, target: path, body: body)
            let job = try CalendarRequest(
                request, .task(list: "l", name: "t1.ics"), server.service, nil, known
            ).begin()
            return try self.isWork(job)
        }
        #expect(try !isWork(.get))
        #expect(try isWork(.put, ["X-APPLE-SORT-ORDER:\(key - 1)"]))
        #expect(try isWork(.put, ["X-APPLE-SORT-ORDER:\(key)", "RELATED-TO:t2"]))
        #expect(try !isWork(.put, ["SUMMARY:other", "X-APPLE-SORT-ORDER:\(key)"]))
        #expect(server.tasks().contains { $0.content.title == "other" })
    }

    // MARK: Names

    @Test(arguments: ["", "/", "..", "a/b", "b.ics", String(repeating: "x", count: 256), "\u{1}"])
    func aStoredNameThatCanNotBeUsedIsIgnored(name: String) throws {
        let server = try server()
        let data = try String(
            decoding: JSONSerialization.data(withJSONObject: ["data": ["caldav": ["name": name]]]),
            as: UTF8.self)
        #expect(server.send("PATCH", "/tasks/a", data, json).status == 200)
        #expect(
            try paths(server) == ["a", "b", "c"].map { "/dav/calendars/l/\($0).ics" })
    }

    @Test(arguments: ["\u{1}", "", "x\u{FFFF}", "x\r"])
    func aStoredUIDThatCanNotBeWrittenIsIgnored(uid: String) throws {
        let server = try server()
        let data = try String(
            decoding: JSONSerialization.data(withJSONObject: ["data": ["caldav": ["uid": uid]]]),
            as: UTF8.self)
        #expect(server.send("PATCH", "/tasks/a", data, json).status == 200)
        #expect(server.lines("a").contains("UID:a"))
    }

    @Test func dotsAreNoName() throws {
        let server = try server()
        for name in ["..", "."] {
            let to = ["Destination": "/dav/calendars/l/\(name)"]
            #expect(server.send("MOVE", "/dav/calendars/l/a.ics", "", to).status == 403)
        }
        #expect(server.titles() == ["a", "b", "c"])
    }

    @Test func charactersThatXMLCanNotHaveAreRefused() throws {
        let server = try server()
        for character in ["\u{FFFF}", "\u{FFFE}", "\u{7F}", "\0", "\u{1F}"] {
            #expect(server.put("d", ["SUMMARY:x\(character)"]).status == 403)
        }
        #expect(server.put("d", ["SUMMARY:x\u{85}\u{FFFD}\t"]).status == 201)
    }

    // MARK: Conditions and other data

    @Test func aConditionOnLocksNeverHolds() throws {
        let server = try server()
        for value in [#"(["x"])"#, "(<urn:lock>)"] {
            #expect(server.put("a", ["SUMMARY:x"], ["If": value]).status == 412)
            #expect(
                server.send("DELETE", "/dav/calendars/l/a.ics", "", ["If": value]).status == 412)
        }
        #expect(server.titles() == ["a", "b", "c"])
    }

    @Test(arguments: ["[1]", #""x""#, "5", "true"])
    func dataOfOtherAppsIsKeptAndNothingIsLost(data: String) throws {
        let server = try server()
        server.makeList("m")
        server.send("PATCH", "/tasks/a", #"{"data":\#(data)}"#, json)
        #expect(server.put("a", ["SUMMARY:A", "STATUS:COMPLETED"]).status == 204)
        #expect(server.titles() == ["A", "b", "c"])
        for line in [
            "DESCRIPTION:n", "DUE:20261205T090000Z", "CATEGORIES:x", "PRIORITY:1",
            "URL:https://x.example",
        ] {
            let response = server.put("a", ["SUMMARY:B", "STATUS:COMPLETED", line])
            #expect(response.status == 403)
            #expect(text(response).contains("another app"))
        }
        for path in ["l/d.ics", "m/d.ics"] {
            let to = ["Destination": "/dav/calendars/\(path)"]
            let response = server.send("MOVE", "/dav/calendars/l/a.ics", "", to)
            #expect(response.status == 403)
            #expect(text(response).contains("another app"))
        }
        #expect(server.titles() == ["A", "b", "c"])
        #expect(server.titles("m").isEmpty)
        #expect(server.tasks()[0].content.data == data)
    }

    // MARK: MOVE

    @Test func aRefusedMoveDeletesNothing() throws {
        let server = try server()
        server.makeList("m", #"{"title":"M","tasks":[{"id":"x","title":"X","locked":true}]}"#)
        server.put("y", ["SUMMARY:Y"], to: "m")
        func move(_ from: String, _ to: String) -> Int {
            server.send(
                "MOVE", "/dav/calendars/\(from)", "", ["Destination": "/dav/calendars/\(to)"]
            )
            .status
        }
        // The task is locked, or the one that it would replace.
        #expect(move("m/x.ics", "l/a.ics") == 403)
        #expect(move("l/a.ics", "m/x.ics") == 403)
        #expect(move("m/y.ics", "m/x.ics") == 403)
        #expect(server.titles() == ["a", "b", "c"])
        #expect(server.titles("m") == ["X", "Y"])
        #expect(move("l/a.ics", "m/y.ics") == 204)
        #expect(server.titles("m") == ["X", "a"])
        #expect(server.lines("y", of: "m").contains("UID:a"))
    }

    @Test func aTaskIsMovedOverItsOwnCopy() throws {
        let server = try server()
        server.makeList("m")
        server.put("s", ["SUMMARY:s", "RELATED-TO:a"])
        let to = ["Destination": "/dav/calendars/m/a.ics"]
        #expect(server.send("COPY", "/dav/calendars/l/a.ics", "", to).status == 201)
        #expect(server.send("MOVE", "/dav/calendars/l/a.ics", "", to).status == 204)
        #expect(server.titles() == ["b", "c"])
        #expect(server.titles("m") == ["a", "  s"])
        #expect(server.lines("a", of: "m").contains("UID:a"))
        #expect(server.lines("s", of: "m").contains("RELATED-TO:a"))
    }

    @Test func aTaskIsMovedOverItsParentAndItsSubtask() throws {
        let server = try server()
        server.put("b", ["SUMMARY:b", "RELATED-TO:a"])
        server.put("c", ["SUMMARY:c", "RELATED-TO:b"])
        func move(_ from: String, over name: String) -> Int {
            server.send(
                "MOVE", "/dav/calendars/l/\(from).ics", "",
                ["Destination": "/dav/calendars/l/\(name).ics"]
            ).status
        }
        #expect(move("b", over: "a") == 204)
        #expect(server.titles() == ["b", "  c"])
        #expect(move("a", over: "c") == 204)
        #expect(server.titles() == ["b"])
        #expect(server.lines("c").contains("UID:b"))
    }
}
