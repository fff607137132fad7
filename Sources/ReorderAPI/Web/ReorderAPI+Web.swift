import MicroHTTP

extension ReorderAPI {
    /// The web page's document.
    func getPage(_ call: Call) throws -> Response {
        let page = WebPage.embedded
        return call.request.fresh(page.document, tag: page.build)
    }

    /// A file that the web page's document refers to.
    func getPageFile(_ call: Call) throws -> Response {
        let page = WebPage.embedded
        let build = call.request.parameter("build")
        guard let file = page.file(call.request.parameter("file"), build: build) else {
            throw Problem(.notFound, "The web page has no such file.")
        }
        return call.request.fresh(file, tag: page.build)
    }
}

extension Request {
    /// Returns the response, or 304 if the client already has it.
    func fresh(_ response: Response, tag: String) -> Response {
        let tags = EntityTags.list(headers.all("If-None-Match").joined(separator: ","))
        let known = tags.contains { $0 == "*" || $0 == "\"\(tag)\"" || $0 == "W/\"\(tag)\"" }
        return known ? response.notModified : response
    }
}
