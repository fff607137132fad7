import MicroHTTP
import ReorderCalDAV

/// Sends requests to calendars, as `RequestsInProcess` does. Afterwards, a client can read each calendar, and what it
/// reads is what it may send.
enum CalendarsInProcess {
    static func fault(in bytes: [UInt8]) -> String? {
        RequestsInProcess.calendars.fault(in: bytes) { send in
            for list in ["l", "m"] {
                if let fault = fault(in: list, send) { return fault }
            }
            return nil
        }
    }

    private static let everything = """
        <propfind xmlns="DAV:"><allprop/><include><calendar-data
        xmlns="urn:ietf:params:xml:ns:caldav"/><sync-token/></include></propfind>
        """

    private static func fault(in list: String, _ send: RequestsInProcess.Send) -> String? {
        let answer = read(list, send)
        guard answer.status != 404 else { return nil }
        guard answer.status == 207, let root = try? XMLReader.read(answer.body) else {
            return "the calendar can't be read"
        }
        var hrefs: Set<String> = []
        for response in root.children {
            guard let href = response.child(.dav("href"))?.text, hrefs.insert(href).inserted else {
                return "a resource has no path of its own"
            }
            guard !href.hasSuffix("/") else { continue }
            let text = send(.get, href, [:], [])
            guard text.status == 200, (try? CalendarText(text.body)) != nil else {
                return "the task \(href) can't be read"
            }
            let again = send(.put, href, [:], text.body)
            // Long titles and notes make texts that can't be kept beside them.
            if again.refusal == "caldav_max_resource_size" { continue }
            guard again.status == 204, send(.get, href, [:], []).body == text.body else {
                return "the text of \(href) is not taken back as it was sent: \(again.status)"
            }
        }
        return nil
    }

    private static func read(_ list: String, _ send: RequestsInProcess.Send) -> Response {
        send(
            .other("PROPFIND"), "/dav/calendars/\(list)/", ["Depth": "1"], Array(everything.utf8))
    }
}
