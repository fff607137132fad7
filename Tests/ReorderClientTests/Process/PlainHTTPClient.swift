import Foundation
import RandomRuns
import ReorderEngine

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Another participant that uses plain HTTP for operations that the client does not have: undoing
/// others' changes, and drags.
struct PlainHTTPClient {
    static let name = "plain"

    let proxy: CuttingProxy
    private var random: SeededGenerator
    private(set) var undone = 0
    private(set) var dropped = 0

    init(server: Int, seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        proxy = try CuttingProxy(server: server, seed: random.next())
    }

    /// - Parameter list: approximately the current list.
    mutating func act(on list: ReorderableList, version: Int) async {
        if random.chance(50) {
            let body = #"{"version":\#(max(1, version - random.below(10)))}"#
            if await ask("POST", "/lists/l/undo", body) != nil { undone += 1 }
        } else if let task = task(of: list), let anchor = self.task(of: list) {
            let lift = await ask("POST", "/lists/l/drags", #"{"task":"\#(task)"}"#)
            guard let drag = lift?["drag"] as? String else { return }
            _ = await ask("PATCH", "/drags/\(drag)", #"{"after":"\#(anchor)"}"#)
            if random.chance(20) {
                _ = await ask("DELETE", "/drags/\(drag)")
            } else if await ask("POST", "/drags/\(drag)/drop") != nil {
                dropped += 1
            }
        }
    }

    private mutating func task(of list: ReorderableList) -> TaskID? {
        list.task(atRow: random.below(list.rowCount))?.id
    }

    /// - Returns: the response's body if the request succeeded.
    private func ask(
        _ method: String, _ target: String, _ body: String = ""
    ) async -> [String: Any]? {
        guard let url = URL(string: "http://127.0.0.1:\(proxy.port)\(target)") else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue(Self.name, forHTTPHeaderField: "Client-Id")
        if !body.isEmpty {
            request.httpBody = Data(body.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        guard let (data, response) = try? await URLSession.shared.data(for: request),
            let status = (response as? HTTPURLResponse)?.statusCode, status < 300
        else { return nil }
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
    }
}
