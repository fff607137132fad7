import Foundation
import MicroHTTP
import ReorderAuth
import Testing

@testable import ReorderCalDAV

@Suite struct AccessTests {
    private func text(_ response: Response) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    private static let secret = "secretsecretsecretsecretsecretse"

    private func lines(_ scope: String, _ lists: [String]? = nil) throws -> String {
        try lines([(scope, lists)])
    }

    private func lines(
        _ grants: [(scope: String, lists: [String]?)], for secret: String = secret
    ) throws -> String {
        try TokenLine(
            name: secret, digest: TokenDigest(of: Array(secret.utf8)),
            grants: grants.map { GrantForm(AccessScope(name: $0.scope) ?? .none, $0.lists) }
        ).json
    }

    private static func basic(_ password: String) -> String {
        "Basic " + Data("me:\(password)".utf8).base64EncodedString()
    }

    @Test func aTokenIsAPassword() throws {
        let server = try CalendarServer(
            tokens: try lines("write"), sending: Self.basic(Self.secret))
        #expect(server.send("MKCALENDAR", "/dav/calendars/l/").status == 201)
        #expect(server.put("a", []).status == 201)
        // Only here.
        #expect(server.send("GET", "/lists/l").status == 401)
        #expect(
            server.send("GET", "/lists/l", "", ["Authorization": "Bearer \(Self.secret)"]).status
                == 200)
        for field in ["Basic !", "Basic", Self.basic("wrong"), "Basic bWU=", ""] {
            let answer = server.send(
                "PROPFIND", "/dav/", "", ["Depth": "0", "Authorization": field])
            #expect(answer.status == 401)
            #expect(
                answer.headers["WWW-Authenticate"]?.hasPrefix(#"Basic realm="reorderd""#) == true)
        }
    }

    @Test func onlyListsOfTheTokenAreSeen() throws {
        let reader = try CalendarServer(
            tokens: try lines("read", ["l"]), sending: Self.basic(Self.secret))
        #expect(reader.send("PROPFIND", "/dav/calendars/m/", "", ["Depth": "0"]).status == 404)
        #expect(reader.put("a", [], to: "m").status == 404)
        #expect(reader.put("a", []).status == 403)
        #expect(reader.send("MKCALENDAR", "/dav/calendars/l/").status == 403)
        let writer = try CalendarServer(
            tokens: try lines("write", ["l"]), sending: Self.basic(Self.secret))
        #expect(writer.send("MKCALENDAR", "/dav/calendars/l/").status == 201)
        #expect(writer.send("MKCALENDAR", "/dav/calendars/m/").status == 404)
        let privileges = text(
            writer.send(
                "PROPFIND", "/dav/calendars/l/",
                #"<propfind xmlns="DAV:"><prop><current-user-privilege-set/></prop></propfind>"#,
                ["Depth": "0"]))
        #expect(privileges.contains("<d:write-content/>"))
    }

    @Test func whatIsOnlyReadIsNotChangedFromAnotherList() throws {
        let owner = String(Self.secret.reversed())
        let server = try CalendarServer(
            tokens: try lines([("read", nil), ("write", ["l"])]) + "\n"
                + lines([("write", nil)], for: owner),
            sending: Self.basic(Self.secret))
        let asOwner = ["Authorization": Self.basic(owner)]
        for (list, name) in [("l", "a"), ("m", "x")] {
            server.send("MKCALENDAR", "/dav/calendars/\(list)/", "", asOwner)
            #expect(server.put(name, [], to: list, asOwner).status == 201)
        }
        for method in ["MOVE", "COPY"] {
            for (from, to) in [("l/a", "m/b"), ("l/a", "m/x")] {
                let response = server.send(
                    method, "/dav/calendars/\(from).ics", "",
                    ["Destination": "/dav/calendars/\(to).ics"])
                #expect(response.status == 403)
            }
        }
        let move = ["Destination": "/dav/calendars/l/x.ics"]
        #expect(server.send("MOVE", "/dav/calendars/m/x.ics", "", move).status == 403)
        #expect(server.send("COPY", "/dav/calendars/m/x.ics", "", move).status == 201)
    }

    /// A proxy on the machine of the server that is not trusted.
    @Test func passwordsThroughAnUnknownProxyAreRefused() throws {
        let server = try CalendarServer(
            tokens: try lines("write"), sending: Self.basic(Self.secret))
        for name in ["X-Forwarded-For", "Forwarded"] {
            let answer = server.send(
                "PROPFIND", "/dav/", "", ["Depth": "0", name: "for=192.0.2.1"])
            #expect(answer.status == 403)
            #expect(text(answer).contains("https"))
        }
    }
}
