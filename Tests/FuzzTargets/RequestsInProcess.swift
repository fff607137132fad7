import Dispatch
import Logging
import MicroHTTP
import ReorderAPI
import ReorderCalDAV
import ReorderJSON
import ReorderService
import ReorderStore
import Synchronization

/// Sends requests to the API without a connection, to a list that starts in the same state each
/// time.
///
/// The bytes are several requests, separated by lines of `%%`: `METHOD TARGET`, header fields, an
/// empty line, and the body. Lines end with a line feed.
final class RequestsInProcess: Sendable {
    static let shared = RequestsInProcess(servesCalendars: false)
    /// The same with CalDAV.
    static let calendars = RequestsInProcess(servesCalendars: true)

    private let mounts: [ProtocolMount]

    private init(servesCalendars: Bool) {
        let calendars = CalDAV(isEncrypted: false, proxies: TrustedProxies([]))
        mounts = servesCalendars ? calendars.mounts : []
    }

    private struct Served {
        var api: (service: ListService, router: Router)?
        var count = 0
    }

    private let served = Mutex(Served())

    /// Replaces the router from time to time, so that the store's history stays small.
    private func router() -> Router {
        served.withLock { served in
            served.count += 1
            if let api = served.api, served.count % 5_000 != 0 { return api.router }
            try? served.api?.service.stop()
            let service = ListService(
                store: MemoryListStore(epoch: "0123456789ab"),
                logger: Logger(
                    label: "fuzz",
                    factory: { _ in
                        SwiftLogNoOpLogHandler()
                    }), onLost: { _ in })
            let router = ReorderAPI(service: service).makeRouter(mounts: mounts)
            served.api = (service, router)
            return router
        }
    }

    func end() {
        served.withLock { served in
            try? served.api?.service.stop()
            served.api = nil
        }
    }

    private static let document = """
        {"title":"L","sections":[{"id":"s","title":"S"},{"id":"u","title":"U"}],"tasks":[
        {"id":"a","title":"A"},{"id":"b","title":"B","parent":"a"},{"id":"c","title":"C","parent":"b"},
        {"id":"d","title":"D","section":"s","locked":true},{"id":"e","title":"E","section":"u"}]}
        """

    /// - Parameter check: gets a function that sends further requests.
    func fault(
        in bytes: [UInt8], then check: (_ send: Send) -> String? = { _ in nil }
    ) -> String? {
        var router = router()
        if !makeLists(router) {
            // Another list holds the tasks by now.
            end()
            router = self.router()
            guard makeLists(router) else { return "the lists can't be made" }
        }
        for request in Self.requests(in: bytes) {
            let answer = answer(
                router, request.method, request.target, request.fields, request.body)
            // CalDAV has them for other servers and for properties that are too large.
            let isKnown = !mounts.isEmpty && [502, 507].contains(answer.status)
            if !(100...499).contains(answer.status), !isKnown {
                return "\(request.method) \(request.target) has the status \(answer.status)"
            }
            if answer.status >= 400, answer.refusal == nil {
                return "\(request.method) \(request.target) is refused without a code"
            }
        }
        let list = answer(router, .get, "/lists/l", [:], [])
        guard list.status == 200 else { return nil }
        guard (try? ListDocument(json: list.body).makeList()) != nil else {
            return "the resulting list can't be read"
        }
        return check { self.answer(router, $0, $1, $2, $3) }
    }

    private func makeLists(_ router: Router) -> Bool {
        for list in ["l", "m"] { _ = answer(router, .delete, "/lists/\(list)", [:], []) }
        return [("l", Self.document), ("m", #"{"title":"M"}"#)].allSatisfy { list, document in
            answer(router, .put, "/lists/\(list)", [:], Array(document.utf8)).status == 201
        }
    }

    typealias Send = (
        _ method: HTTPMethod, _ target: String, _ fields: HeaderFields, _ body: [UInt8]
    ) -> Response

    private func answer(
        _ router: Router, _ method: HTTPMethod, _ target: String, _ fields: HeaderFields,
        _ body: [UInt8]
    ) -> Response {
        router.respond(to: Request(method: method, target: target, headers: fields, body: body))
    }

    private struct Sent {
        var method: HTTPMethod
        var target: String
        var fields: HeaderFields
        var body: [UInt8]
    }

    private static func requests(in bytes: [UInt8]) -> [Sent] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[
            ...]
        var requests: [Sent] = []
        while requests.count < 8, let head = lines.popFirst() {
            let words = head.split(separator: UInt8(ascii: " "), maxSplits: 1)
            var request = Sent(
                method: HTTPMethod(rawValue: String(decoding: words.first ?? [], as: UTF8.self)),
                target: String(decoding: words.dropFirst().first ?? [], as: UTF8.self), fields: [:],
                body: [])
            while let field = lines.popFirst(), !field.isEmpty {
                let parts = field.split(separator: UInt8(ascii: ":"), maxSplits: 1)
                request.fields.add(
                    String(decoding: parts.first ?? [], as: UTF8.self),
                    String(
                        decoding: parts.dropFirst().first?.drop { $0 == 0x20 } ?? [], as: UTF8.self)
                )
            }
            var body: [ArraySlice<UInt8>] = []
            while let line = lines.popFirst(), !line.elementsEqual("%%".utf8) { body.append(line) }
            request.body = Array(body.joined(separator: [UInt8(ascii: "\n")]))
            requests.append(request)
        }
        return requests
    }
}
