import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderCalDAV

/// A client that only follows `sync-collection` has what all the tasks are.
@Suite struct SyncTests {
    private let json = ["Content-Type": "application/json"]

    /// The entity tags by name, as a full reading and as a synchronization says them.
    private final class Client {
        let server: CalendarServer
        let list: String
        var tags: [String: String] = [:]
        var token = ""

        init(_ server: CalendarServer, _ list: String) {
            (self.server, self.list) = (server, list)
        }

        func synchronize() throws {
            let body =
                #"<sync-collection xmlns="DAV:"><sync-token>\#(token)</sync-token><prop><getetag/></prop></sync-collection>"#
            let answer = server.send("REPORT", "/dav/calendars/\(list)/", body)
            let root = try XMLReader.read(answer.body)
            guard answer.status == 207 else {
                #expect(answer.status == 403)
                (tags, token) = ([:], "")
                return try synchronize()
            }
            for (name, tag) in Self.tags(root) { tags[name] = tag }
            token = root.child(.dav("sync-token"))?.text ?? ""
        }

        func all() throws -> [String: String] {
            let answer = server.send(
                "PROPFIND", "/dav/calendars/\(list)/",
                #"<propfind xmlns="DAV:"><prop><getetag/></prop></propfind>"#, ["Depth": "1"])
            let all = Self.tags(try XMLReader.read(answer.body))
            #expect(Set(all.map(\.0)).count == all.count)
            return Dictionary(all) { $1 }.compactMapValues(\.self)
        }

        private static func tags(_ root: XMLElement) -> [(String, String?)] {
            root.children.compactMap { response in
                guard let href = response.child(.dav("href"))?.text, !href.hasSuffix("/")
                else { return nil }
                let property = response.child(.dav("propstat"))?.child(.dav("prop"))
                return (href, property?.child(.dav("getetag"))?.text)
            }
        }
    }

    private let names = ["foo", "bar", "~~abc", "~7E~7Eabc", "x y", "w"]

    private func change(_ server: CalendarServer, _ random: inout SeededGenerator) {
        let list = random.below(2) == 0 ? "l" : "m"
        let ids = server.tasks(list).map(\.id)
        let id = ids.isEmpty ? "none" : ids[random.below(ids.count)]
        let name = names[random.below(names.count)]
        let path = "/dav/calendars/\(list)/\(name.replacing(" ", with: "%20")).ics"
        switch random.below(10) {
        case 0, 1:
            let uid = random.below(3) == 0 ? "uid \(random.below(3))" : name
            server.send("PUT", path, CalendarServer.text(uid, ["SUMMARY:\(random.below(99))"]))
        case 2: server.send("DELETE", path)
        case 3: server.send("DELETE", "/tasks/\(id)")
        case 4: server.send("POST", "/tasks/\(id)/copy", "{}", json)
        case 5, 6:
            let other = list == "l" ? "m" : "l"
            let body = #"{"task":"\#(id)","toList":"\#(other)","section":null,"position":0}"#
            server.send("POST", "/lists/\(list)/move", body, json)
        case 7:
            let parent = ids.isEmpty ? "none" : ids[random.below(ids.count)]
            server.send(
                "POST", "/lists/\(list)/move",
                #"{"task":"\#(id)","parent":"\#(parent)","position":0}"#, json)
        case 8:
            server.send("PATCH", "/tasks/\(id)", #"{"title":"\#(random.below(99))"}"#, json)
        default:
            let target = path.replacing("/\(list)/", with: "/m/")
            server.send(
                "MOVE", "/dav/calendars/\(list)/foo.ics", "", ["Destination": target])
        }
    }

    @Test func aClientThatFollowsHasAllTasks() throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        for _ in 0..<RandomRun.operations(400) / 40 {
            let server = try CalendarServer()
            server.makeList("l")
            server.makeList("m")
            let clients = ["l", "m"].map { Client(server, $0) }
            for step in 0..<40 {
                change(server, &random)
                for client in clients where random.below(2) == 0 {
                    try client.synchronize()
                    #expect(
                        try client.tags == client.all(), "seed \(RandomRun.seed), step \(step)")
                }
            }
        }
    }
}
