import ReorderEngine
import ReorderService

extension WriteRequest {
    static func transfer(
        _ task: String, from list: String, to target: String,
        _ destination: Destination = Destination(place: .init(.section(nil)))
    ) -> WriteRequest {
        WriteRequest(
            list: list, action: .transfer(MoveRequest(.task(task), to: destination), to: target))
    }
}
