import MicroHTTP

extension ReorderAPI {
    /// The web page's document.
    func getPage(_ call: Call) throws -> Response {
        WebPage.embedded.document.form(for: call.request)
    }

    /// A file that the web page's document refers to.
    func getPageFile(_ call: Call) throws -> Response {
        let build = call.request.parameter("build")
        guard let file = WebPage.embedded.file(call.request.parameter("file"), build: build) else {
            throw Problem(.notFound, "The web page has no such file.")
        }
        return file.form(for: call.request)
    }
}
