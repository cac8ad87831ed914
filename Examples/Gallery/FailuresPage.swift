#if GTK
    import Alcedo
    import AlcedoSamples
    import AlcedoTestSupport
    import Foundation

    /// Loads that fail, each in another way.
    enum FailuresPage {
        @MainActor
        static func make(on server: SampleServer) -> TilePage {
            let missing = server.route("/failures/missing") { _ in .status(404) }
            let text = server.route("/failures/text") { _ in
                Reply(body: Array("<html>Please log in.</html>".utf8), contentType: "text/html")
            }
            let truncated = server.add("/failures/truncated") {
                let data = try picture()
                return Reply(body: Array(data.prefix(data.count / 2)), contentType: "image/jpeg")
            }
            let hung = server.route("/failures/hung") { _ in
                Reply.status(200).hold(.head, until: Gate())
            }
            let slow = server.add("/failures/slow") { try Reply(body: picture()).delay(by: .seconds(1)) }
            let isRepaired = Monitor(false)
            let repaired = server.add("/failures/repaired/picture") { try Reply(body: picture()) }
            let flaky = server.route("/failures/repaired") { _ in
                isRepaired.update { isRepaired in
                    defer { isRepaired = true }
                    return isRepaired ? .redirect(to: repaired.path) : .status(503)
                }
            }
            return TilePage(
                "Failures",
                "What is shown if a load fails. The button loads again; the last picture comes the second time.",
                [
                    .init(title: "Not found", url: missing), .init(title: "Not an image", url: text),
                    .init(title: "Truncated", url: truncated), .init(title: "No response", url: hung),
                    .init(title: "Slow", url: slow), .init(title: "Fails once", url: flaky),
                ])
        }

        private static func picture() throws -> [UInt8] {
            let image = Image(bitmap: try GalleryPicture.all[0].draw(PixelSize(width: 480, height: 320)))
            return Array(try image.data(as: .jpeg))
        }
    }
#endif
