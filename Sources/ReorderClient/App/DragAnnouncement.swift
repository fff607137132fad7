import ReorderEngine
import ReorderJSON

/// A drag of this device, as other people see it. It ends when this object is released.
///
/// It is announced as well as the network allows: the user's drag does not wait for it, and a drop is a move like any other.
package final class DragAnnouncement: Sendable {
    private let places: AsyncStream<Destination>.Continuation

    fileprivate init(_ drag: SentDrag) {
        let stream: AsyncStream<Destination>
        // While a request is on its way, only the newest place is worth sending.
        (stream, places) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        Task { await drag.announce(over: stream) }
    }

    deinit { places.finish() }

    /// Shows where the task would be dropped now.
    package func hover(over place: Destination) { places.yield(place) }
}

private struct SentDrag: Sendable {
    let client: ReorderClient
    let list: String
    let task: TaskID
    let headers: [(name: String, value: String)]

    func announce(over places: AsyncStream<Destination>) async {
        guard var id = await begin() else { return }
        for await place in places where await isUnknown(id, over: place) {
            // The finger has rested for so long that the server has ended the drag.
            guard let again = await begin() else { return }
            id = again
            _ = await isUnknown(id, over: place)
        }
        _ = await send("DELETE", "/drags/\(id)")
    }

    /// - Returns: the id of the drag; nil if the server refuses it or can't be reached.
    private func begin() async -> String? {
        let answer = await send(
            "POST", "/lists/\(list)/drags", JSONWriter.object { $0.member("task", task) })
        return try? JSONReader.value(of: "drag", in: answer.body) { reader throws(JSONTypeError) in
            try reader.readString()
        }
    }

    /// Shows the place.
    ///
    /// - Returns: whether the server does not know the drag.
    private func isUnknown(_ id: String, over place: Destination) async -> Bool {
        let body = JSONWriter.object { $0.members(of: place) }
        return await send("PATCH", "/drags/\(id)", body).problem?.status == 404
    }

    private func send(_ method: String, _ target: String, _ body: [UInt8] = []) async -> Answer {
        await client.answer(
            to: ClientRequest(
                method: method, target: target, headers: headers, body: body, timeoutSeconds: 10))
    }
}

extension LiveList {
    /// Shows other people that a task is being dragged, until the result is released; nil without a connection.
    package func announceDrag(of task: TaskID) -> DragAnnouncement? {
        guard phase == .online, let synced else { return nil }
        let headers =
            synced.runner.read(\.identity) + [ClientRequest.json, ClientRequest.minimal]
        return DragAnnouncement(SentDrag(client: client, list: id, task: task, headers: headers))
    }
}
