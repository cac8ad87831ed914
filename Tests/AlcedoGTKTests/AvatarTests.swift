#if GTK
    @testable import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `An avatar` {
        private let loading: ViewLoading
        private let results = Recorder<ViewResult>()

        init() throws {
            try #require(gtk_init_check() != 0, "this test needs a display: scripts/with-display.sh")
            loading = try ViewLoading()
        }

        @Test(arguments: [
            ("Ada Lovelace", "AL"), ("ada", "A"), ("  Grace Brewster  Hopper ", "GH"),
            ("élodie ßmith", "ÉSS"),
            ("", ""), ("\u{1F1E6}\u{1F1F9} x", "\u{1F1E6}\u{1F1F9}X"),
        ])
        nonisolated func `an avatar has the initials of a name`(_ name: String, _ initials: String) {
            #expect(Initials.text(of: name) == initials)
        }

        @Test func `an avatar has one colour for a name in every run, and several for several names`() {
            #expect(Initials.index(of: "Ada Lovelace") == 10)
            #expect(Set((0..<100).map { Initials.index(of: "Person \($0)") }).count > 6)
        }

        @Test func `an avatar is a disc with initials, and then a round picture`() async throws {
            let gate = Gate()
            let url = loading.serve(try Sample.plain(80, 40, 10, 200, 30), at: "/a", until: gate)
            let avatar = loading.image(url, results).makeAvatar(name: "Ada Lovelace", size: 40)
            let window = try Window {
                ImageView()
            } container: { _ in
                avatar
            }
            let initials = try #require(try window.drawn(avatar))
            #expect(initials.width == 40 && initials.height == 40)
            #expect(pixels(initials.pixels).contains([255, 255, 255, 255]), "there are letters on the disc")
            #expect(pixels(initials.pixels)[0] == [0, 0, 0, 0])
            gate.open()
            try await window.run {
                try window.drawn(avatar).map { pixels($0.pixels)[20 * 40 + 20] } == [10, 200, 30, 255]
            }
            let picture = try #require(try window.drawn(avatar))
            #expect(picture.width == 40 && picture.height == 40)
            let corners = [0, 39, 39 * 40, 39 * 40 + 39].map { pixels(picture.pixels)[$0] }
            #expect(corners == Array(repeating: [0, 0, 0, 0], count: 4))
            let places: [(x: Int, y: Int)] = [(1, 20), (38, 20), (20, 1), (20, 38)]
            let drawn = pixels(picture.pixels)
            let edges = places.map { drawn[$0.y * 40 + $0.x] }
            #expect(edges == Array(repeating: [10, 200, 30, 255], count: 4), "it covers the disc")
            #expect(
                gtk_test_accessible_has_property(
                    OpaquePointer(avatar), GTK_ACCESSIBLE_PROPERTY_LABEL) != 0)
        }

        private func pixels(_ bytes: [UInt8]) -> [[UInt8]] {
            stride(from: 0, to: bytes.count, by: 4).map { Array(bytes[$0..<$0 + 4]) }
        }
    }
#endif
