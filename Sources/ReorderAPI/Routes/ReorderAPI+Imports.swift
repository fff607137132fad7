import MicroHTTP
import ReorderEngine
import ReorderImportExport
import ReorderService

extension ReorderAPI {
    /// Creates or replaces the lists of a file.
    func postImport(_ request: Request) throws -> Job {
        let options = try ImportOptions(request)
        return .work(WorkerThreads.Size(bytes: request.body.count)) { [self] in
            try ImportRun(request, options, self).check()
        }
    }

    /// Returns a list as a file.
    func getExport(_ request: Request) throws -> Job {
        let format = try request.fileFormat(among: ListFileFormat.written) ?? .json
        let seen = request.seenVersions(tags)
        let coding = request.coding
        return .wait(for: { [service] in service.versionedList(of: request.parameter("id"), $0) }) {
            [tags] found in
            let tag = tags.list(found.version)
            if let seenCoding = seen.coding(of: found.version, accepting: coding) {
                return .respond(Response(notModified: tag, coding == nil ? nil : seenCoding))
            }
            return .work(WorkerThreads.Size(bytes: found.list.memoryBytes)) {
                let file = format.write(found.list, id: found.id, version: found.version) ?? []
                let headers: HeaderFields = [
                    "Content-Type": format.mediaType, "Cache-Control": "no-cache", "ETag": tag,
                    "Content-Disposition": ContentDisposition.attachment(
                        found.list.settings.title, or: found.id, ending: format.fileEnding),
                ]
                return .respond(Response(status: 200, headers: headers, body: file).coded(coding))
            }
        }
    }
}

extension ListFileFormat {
    fileprivate var mediaType: String {
        switch self {
        case .json, .trello, .googleTasks, .microsoftToDo, .vikunja, .deck: "application/json"
        case .markdown: "text/markdown; charset=utf-8"
        case .todoist, .csv: "text/csv; charset=utf-8"
        case .opml: "text/x-opml; charset=utf-8"
        case .ics: "text/calendar; charset=utf-8"
        case .todoTxt, .taskPaper, .org: "text/plain; charset=utf-8"
        }
    }
}
