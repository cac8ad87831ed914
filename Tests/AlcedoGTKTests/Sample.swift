#if GTK
    import Alcedo
    import AlcedoGTK
    import CGtk4

    enum Sample {
        /// One opaque colour.
        static func plain(_ width: Int, _ height: Int, _ blue: UInt8, _ green: UInt8, _ red: UInt8) throws
            -> Image
        {
            var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: .opaque)
            builder.withUnsafeMutableBytes { bytes in
                for pixel in 0..<width * height {
                    for (channel, value) in [blue, green, red, 255].enumerated() {
                        bytes[pixel * 4 + channel] = value
                    }
                }
            }
            return Image(bitmap: builder.freeze())
        }

        /// Pixels that differ from their neighbours, of every opacity; no colour exceeds its alpha.
        static func translucent(_ width: Int, _ height: Int) throws -> Bitmap {
            let size = PixelSize(width: width, height: height)
            var builder = try PixelBuilder(size: size, alpha: .premultiplied)
            builder.withUnsafeMutableBytes { bytes in
                for pixel in 0..<width * height {
                    let alpha = pixel * 37 & 255
                    for (channel, factor) in [11, 29, 53].enumerated() {
                        bytes[pixel * 4 + channel] = UInt8((pixel * factor & 255) * alpha / 255)
                    }
                    bytes[pixel * 4 + 3] = UInt8(alpha)
                }
            }
            return builder.freeze()
        }
    }

    extension Bitmap {
        var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
    }

    extension Texture {
        var pixels: [UInt8] { downloaded(handle) }
    }

    /// The pixels of a `GdkTexture`, as a ``Bitmap`` has them.
    func downloaded(_ texture: OpaquePointer) -> [UInt8] {
        let width = Int(gdk_texture_get_width(texture))
        var bytes = [UInt8](repeating: 0, count: width * Int(gdk_texture_get_height(texture)) * 4)
        gdk_texture_download(texture, &bytes, gsize(width * 4))
        return bytes
    }
#endif
