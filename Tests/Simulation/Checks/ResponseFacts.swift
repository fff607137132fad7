import Gunzip
import MicroHTTP

/// The members of a response that the checks need. They are found by a search in the text, because
/// the server always writes each member in the same form.
struct ResponseFacts {
    let status: Int
    let text: String
    /// The list of a task's or a write's response.
    let list: String?
    let version: Int?
    /// The epoch in the entity tag.
    let epoch: String?
    let isChanged: Bool?
    let isDryRun: Bool
    let isReplay: Bool
    /// The list and version that tasks were moved to.
    let target: (list: String, version: Int)?
    let code: String?
    let drag: String?

    init(_ response: Response) {
        status = response.status
        text = String(decoding: response.plainBody.prefix(8_000), as: UTF8.self)
        isReplay = response.headers["Idempotent-Replay"] != nil
        isDryRun = text.contains("\"dryRun\":true")
        isChanged =
            text.contains("\"changed\":true")
            ? true : text.contains("\"changed\":false") ? false : nil
        code = Self.string("code", in: text)
        drag = Self.string("drag", in: text)
        var version = Self.number("version", in: text)
        var list = Self.string("list", in: text)
        if let tag = response.headers["ETag"] {
            let inner = ContentCoding.identityTag(tag[...]).dropFirst().dropLast()
            let parts = inner.split(separator: "@")
            let token = parts.first.flatMap { Token($0) }
            version = token?.version ?? version
            epoch = token?.epoch
            if parts.count == 2 { list = String(parts[1]) }
        } else {
            epoch = nil
        }
        self.version = version
        self.list = list
        if let start = text.firstRange(of: "\"to\":{") {
            let rest = text[start.upperBound...]
            if let list = Self.string("list", in: rest),
                let version = Self.number("version", in: rest)
            {
                target = (list, version)
            } else {
                target = nil
            }
        } else {
            target = nil
        }
    }

    /// All versions that the response shows.
    func versions(list path: String?) -> [(list: String, version: Int)] {
        var shown: [(list: String, version: Int)] = []
        if let version, let list = path ?? list { shown.append((list, version)) }
        if let target, !isDryRun { shown.append(target) }
        return shown
    }

    func versions(of intention: Intention) -> [(list: String, version: Int)] {
        // It can be the other list whose version is no longer stored.
        if status == 410, intention.body.contains("toList") { return [] }
        return versions(list: intention.list)
    }

    private static func string(_ name: String, in text: some StringProtocol) -> String? {
        guard let start = text.firstRange(of: "\"\(name)\":\"") else { return nil }
        return String(text[start.upperBound...].prefix { $0 != "\"" })
    }

    private static func number(_ name: String, in text: some StringProtocol) -> Int? {
        guard let start = text.firstRange(of: "\"\(name)\":") else { return nil }
        return Int(text[start.upperBound...].prefix { $0.isNumber })
    }
}

extension Response {
    /// The body as a client reads it; empty if it can't be decompressed.
    var plainBody: [UInt8] {
        guard headers["Content-Encoding"] != nil else { return body }
        return (try? Gunzip.whole(body)) ?? []
    }
}

/// A version and the epoch of its store, as in entity tags and ids of events. Without an epoch, it
/// is the beginning of every list.
struct Token: Equatable {
    var version: Int
    var epoch: String?

    init(_ version: Int, epoch: String?) {
        self.version = version
        self.epoch = epoch
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-")
        guard (1...2).contains(parts.count), let version = Int(parts[0]) else { return nil }
        self.init(version, epoch: parts.count == 2 ? String(parts[1]) : nil)
    }

    var text: String { epoch.map { "\(version)-\($0)" } ?? "\(version)" }

    /// Whether it identifies a state of the store with this epoch. Version 0 is the empty list in
    /// every epoch.
    func isOf(_ epoch: String) -> Bool { version == 0 || self.epoch == epoch }
}
