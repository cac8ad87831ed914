#if GTK
    import Alcedo
    import AlcedoSamples
    import AlcedoTestSupport

    /// One picture in each format that this build writes.
    enum FormatsPage {
        private static let formats: [EncodedFormat] = [
            .jpeg, .png, .webp, .avif, .heic, .jxl, .gif, .bmp, .ico, .qoi, .pnm, .tga, .tiff, .jp2,
        ]

        @MainActor
        static func make(on server: SampleServer) -> TilePage {
            let tiles = formats.filter { (try? picture(PixelSize(width: 8, height: 8), $0)) != nil }.map {
                format in
                let url = server.add("/formats/picture.\(format.fileExtension)") {
                    try picture(PixelSize(width: 240, height: 160), format)
                }
                return TilePage.Tile(title: "\(format)", url: url)
            }
            return TilePage("Formats", "One picture in each format that this build writes.", tiles)
        }

        private static func picture(_ size: PixelSize, _ format: EncodedFormat) throws -> Reply {
            let image = Image(bitmap: try GalleryPicture.all[0].draw(size))
            return Reply(body: Array(try image.data(as: format)), contentType: format.mediaType)
        }
    }
#endif
