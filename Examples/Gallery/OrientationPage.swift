#if GTK
    import Alcedo
    import AlcedoCodecs
    import AlcedoRaster
    import AlcedoSamples
    import AlcedoTestSupport

    /// One picture with each of the eight EXIF orientations.
    enum OrientationPage {
        @MainActor
        static func make(on server: SampleServer) -> TilePage {
            let tiles = (1...8).compactMap { ImageOrientation(rawValue: $0) }.map { orientation in
                let url = server.add("/orientation/\(orientation.rawValue).jpg") {
                    try photograph(orientation)
                }
                return TilePage.Tile(title: "\(orientation.rawValue), \(orientation)", url: url)
            }
            return TilePage(
                "Orientations",
                "One picture, stored in each of the eight ways that EXIF knows. All are shown upright.", tiles
            )
        }

        /// A JPEG whose pixels are stored so that the orientation turns them upright.
        private static func photograph(_ orientation: ImageOrientation) throws -> Reply {
            let upright = try GalleryPicture.all[0].draw(PixelSize(width: 480, height: 320))
            let inverse: ImageOrientation =
                switch orientation {
                case .left: .right
                case .right: .left
                default: orientation
                }
            let jpeg = try CodecRegistry.shared.encode(upright.oriented(inverse), as: .jpeg)
            let tags = EXIFBuilder.tags(orientation: UInt8(orientation.rawValue))
            return Reply(body: EXIFBuilder.insert(tags, in: jpeg), contentType: "image/jpeg")
        }
    }
#endif
