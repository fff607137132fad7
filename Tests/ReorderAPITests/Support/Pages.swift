import Testing

extension APIResponse {
    /// The ids of a page's tasks, in order.
    var taskIDs: [String] { json["tasks"]?.array.compactMap { $0["id"]?.string } ?? [] }
    /// The ids of a page's lists, in order.
    var listIDs: [String] { json["lists"]?.array.compactMap { $0["id"]?.string } ?? [] }
    var cursor: String? { json["cursor"]?.string }
}

extension APIClient {
    /// All pages of a path, which has a query.
    func pages(_ path: String, from cursor: String? = nil) throws -> [APIResponse] {
        var pages: [APIResponse] = []
        var cursor = cursor
        repeat {
            let page = try get(path + (cursor.map { "&cursor=\($0)" } ?? ""))
            try #require(page.status == 200, "\(page.text)")
            pages.append(page)
            cursor = page.cursor
        } while cursor != nil
        return pages
    }
}

/// The body of a list of top-level tasks, whose ids have a number after the prefix.
func numbered(_ prefix: String, _ count: Int, title: String = "t", _ members: String = "") -> String
{
    let tasks = (0..<count).map { #"{"id":"\#(prefix)\#($0)","title":"\#(title)"\#(members)}"# }
    return #"{"title":"List","tasks":[\#(tasks.joined(separator: ","))]}"#
}
