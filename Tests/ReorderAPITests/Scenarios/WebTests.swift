import Foundation
import Testing
import WebPage

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
            #expect(policy.hasSuffix("require-trusted-types-for 'script'; trusted-types worker"))
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
            let page = EmbeddedFiles.page.map { ("/web/\(WebBundle.page.build)/\($0.name)", $0) }
            let client = EmbeddedFiles.client.map {
                ("/client/\(WebBundle.client.build)/\($0.name)", $0)
            }
            for (path, file) in page + client {
                let answer = try server.client.get(path)
                #expect(answer.status == 200)
                #expect(answer.body == file.contents)
                #expect(answer["Content-Type"] == file.mediaType)
                #expect(answer["Cache-Control"]?.contains("immutable") == true)
                #expect(answer["X-Content-Type-Options"] == "nosniff")
                let isWorker = path.hasSuffix("/worker.js")
                #expect(answer["Service-Worker-Allowed"] == (isWorker ? "/" : nil))
                let isClient = path.hasPrefix("/client/")
                #expect(
                    answer["Cross-Origin-Resource-Policy"]
                        == (isClient ? "cross-origin" : "same-origin"))
                #expect(answer["Access-Control-Allow-Origin"] == (isClient ? "*" : nil))
                let tag = try #require(answer["ETag"])
                #expect(try server.client.get(path, ["If-None-Match": tag]).status == 304)
            }
        }
    }

    @Test(arguments: Setup.memory)
    func theClientExportsTheModuleOfItsBuildToPagesOfAllOrigins(setup: Setup) throws {
        try withServer(setup) { server throws in
            let answer = try server.client.get("/client/1.js")
            #expect(answer.text == "export * from \"./\(WebBundle.client.build)/client.js\";\n")
            #expect(answer["Content-Type"] == "text/javascript")
            #expect(answer["Cache-Control"] == "no-cache")
            #expect(answer["Cross-Origin-Resource-Policy"] == "cross-origin")
            #expect(answer["Access-Control-Allow-Origin"] == "*")
            #expect(try server.client.get("/client/2.js").status == 404)
        }
    }

    @Test(arguments: Setup.sockets)
    func theClientIsAlsoServedInOneFileWithItsTypes(setup: Setup) throws {
        try withServer(setup) { server throws in
            let types = [
                "reorderd.js": "text/javascript", "reorderd.d.ts": "text/plain; charset=utf-8",
            ]
            #expect(Set(EmbeddedFiles.clientBundle.map(\.name)) == Set(types.keys))
            for file in EmbeddedFiles.clientBundle {
                let path = "/client/1/\(file.name)"
                let answer = try server.client.get(path)
                #expect(answer.status == 200)
                #expect(answer.body == file.contents)
                #expect(answer["Content-Type"] == types[file.name])
                #expect(answer["Cache-Control"] == "no-cache")
                #expect(answer["X-Content-Type-Options"] == "nosniff")
                #expect(answer["Cross-Origin-Resource-Policy"] == "cross-origin")
                #expect(answer["Access-Control-Allow-Origin"] == "*")
                let tag = try #require(answer["ETag"])
                let again = try server.client.get(path, ["If-None-Match": tag])
                #expect(again.status == 304)
                #expect(again["ETag"] == tag)
                let compressed = try server.client.get(path, ["Accept-Encoding": "gzip"])
                #expect(compressed["Content-Encoding"] == "gzip")
            }
            #expect(try server.client.get("/client/1/client.js").status == 404)
            #expect(try server.client.get("/client/1/").status == 404)
        }
    }

    @Test(arguments: Setup.memory)
    func filesOfAnotherBuildAreNotFound(setup: Setup) throws {
        try withServer(setup) { server throws in
            let build = WebBundle.page.build
            for path in [
                "/web/0123456789abcdef/app.js", "/web/\(build)/nothing.js",
                "/web/\(build)/index.html", "/web/\(build)/..%2Fapp.js", "/web/\(build)/",
                "/client/0123456789abcdef/client.js", "/client/\(WebBundle.client.build)/app.js",
            ] {
                let answer = try server.client.get(path)
                #expect(answer.status == 404)
                #expect(answer.code == "not_found")
            }
        }
    }

    @Test func everyFileOfTheFoldersIsServed() throws {
        var root = URL(filePath: #filePath)
        for _ in 1...4 { root.deleteLastPathComponent() }
        func files(_ folder: String) throws -> Set<String> {
            Set(
                try FileManager.default.contentsOfDirectory(
                    atPath: root.appending(path: folder).path))
        }
        let client = try files("clients/javascript").filter { $0.hasSuffix(".js") }
        #expect(client == Set(EmbeddedFiles.client.map(\.name)))
        #expect(
            try files("clients/javascript/bundle") == Set(EmbeddedFiles.clientBundle.map(\.name)))
        let isBundled = { (name: String) in
            name != "worker.js" && (name.hasSuffix(".js") || name.hasSuffix(".css"))
        }
        let page = try files("Sources/WebPage/Files").filter { !isBundled($0) }
        let bundle = try files("Sources/WebPage/Bundle")
        #expect(page.union(bundle) == Set(EmbeddedFiles.page.map(\.name) + ["index.html"]))
    }

    @Test func theBuildDependsOnTheContents() {
        func bundle(_ file: WebFile) -> WebBundle {
            WebBundle(
                document: Array("<script src=/web/BUILD/a.js>".utf8), type: "text/html",
                files: [file], readers: .ownPage)
        }
        let one = bundle(WebFile(name: "a.js", contents: [1]))
        let other = bundle(WebFile(name: "a.js", contents: [2]))
        let renamed = bundle(WebFile(name: "b.js", contents: [1]))
        #expect(Set([one.build, other.build, renamed.build]).count == 3)
        #expect(one.document.identity.body == Array("<script src=/web/\(one.build)/a.js>".utf8))
        #expect(other.file("a.js", build: one.build) == nil)
    }
}
