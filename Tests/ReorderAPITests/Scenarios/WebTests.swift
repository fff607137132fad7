import Foundation
import Testing

@testable import ReorderAPI

@Suite struct WebTests {
    @Test(arguments: Setup.sockets)
    func thePageAllowsOnlyTheServersOwnScripts(setup: Setup) throws {
        try withServer(setup) { server throws in
            let page = try server.client.get("/")
            #expect(page.status == 200)
            #expect(page["Content-Type"] == "text/html")
            #expect(page["Cache-Control"] == "no-cache")
            #expect(page["X-Content-Type-Options"] == "nosniff")
            #expect(page["Referrer-Policy"] == "no-referrer")
            let policy = try #require(page["Content-Security-Policy"])
            #expect(policy.contains("default-src 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(!page.text.contains("://"))
            #expect(!page.text.contains("BUILD"))
            #expect(try server.client.send("HEAD", "/").status == 200)
        }
    }

    @Test(arguments: Setup.sockets)
    func thePageCanBeRevalidated(setup: Setup) throws {
        try withServer(setup) { server throws in
            let tag = try #require(try server.client.get("/")["ETag"])
            for field in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let again = try server.client.get("/", ["If-None-Match": field])
                #expect(again.status == 304)
                #expect(again["ETag"] == tag)
                #expect(again.body.isEmpty)
            }
            #expect(try server.client.get("/", ["If-None-Match": "\"other\""]).status == 200)
        }
    }

    @Test(arguments: Setup.sockets)
    func eachFileIsImmutableUnderItsBuild(setup: Setup) throws {
        try withServer(setup) { server throws in
            let build = WebPage.embedded.build
            for file in WebFile.all {
                let answer = try server.client.get("/web/\(build)/\(file.name)")
                #expect(answer.status == 200)
                #expect(answer.body == file.contents)
                #expect(answer["Content-Type"] == file.mediaType)
                #expect(answer["Cache-Control"]?.contains("immutable") == true)
                #expect(answer["X-Content-Type-Options"] == "nosniff")
                let tag = try #require(answer["ETag"])
                let again = try server.client.get(
                    "/web/\(build)/\(file.name)", ["If-None-Match": tag])
                #expect(again.status == 304)
            }
        }
    }

    @Test(arguments: Setup.all)
    func filesOfAnotherBuildAreNotFound(setup: Setup) throws {
        try withServer(setup) { server throws in
            let build = WebPage.embedded.build
            for path in [
                "/web/0123456789abcdef/app.js", "/web/\(build)/nothing.js",
                "/web/\(build)/index.html", "/web/\(build)/..%2Fapp.js", "/web/\(build)/",
            ] {
                let answer = try server.client.get(path)
                #expect(answer.status == 404)
                #expect(answer.code == "not_found")
            }
        }
    }

    @Test func everyFileOfTheFolderIsServed() throws {
        var root = URL(filePath: #filePath)
        for _ in 1...4 { root.deleteLastPathComponent() }
        let folder = root.appending(path: "Sources/ReorderAPI/Web/Files")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == Set(WebFile.all.map(\.name) + ["index.html"]))
    }

    @Test func theBuildDependsOnTheContents() {
        let document = Array("<script src=/web/BUILD/a.js>".utf8)
        let one = WebPage(document: document, files: [WebFile(name: "a.js", contents: [1])])
        let other = WebPage(document: document, files: [WebFile(name: "a.js", contents: [2])])
        let renamed = WebPage(document: document, files: [WebFile(name: "b.js", contents: [1])])
        #expect(Set([one.build, other.build, renamed.build]).count == 3)
        #expect(one.document.identity.body == Array("<script src=/web/\(one.build)/a.js>".utf8))
        #expect(other.file("a.js", build: one.build) == nil)
    }
}
