#if GTK
    import Alcedo
    import Foundation

    /// A sentence for the user.
    struct Failure: LocalizedError {
        let errorDescription: String?

        init(_ text: String) { errorDescription = text }
    }

    extension Image {
        /// For turning: a picture of 240 megapixels, which the view shows without decoding all of it.
        private static let limits = DecodeLimits { $0.pixelsPerFrame = 250_000_000 }

        /// The picture turned to the right by quarters: a JPEG without loss, where the size of its blocks allows that, others pixel by
        /// pixel, with all frames and metadata.
        func turned(quarters: Int) throws -> Image {
            let turn = [Orientation.up, .right, .down, .left][quarters & 3]
            if turn == .up { return self }
            if info?.format == .jpeg, let file = try? data(as: .jpeg),
                let turned = try? JPEGTransform(turn: turn).apply(to: file, limits: Self.limits)
            {
                return try Image(decoding: turned, limits: Self.limits)
            }
            let turned = try mapped { bitmap throws(CodecError) in try bitmap.oriented(turn) }
            let keeping = Turned(image: turned).keepingMetadata(.all)
            return keeping.process(item: .image(self), options: KingfisherParsedOptionsInfo(nil)) ?? turned
        }

        /// Makes one image, of whatever it gets.
        private struct Turned: ImageProcessor {
            let image: Image
            var identifier: String { "turned" }

            func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? { image }
        }

        /// Writes a file in the format that its name says: the same bytes if the picture was loaded in that one.
        func save(to file: URL) throws {
            guard let format = file.format else {
                throw Failure(
                    "Could not save “\(file.name)”: the name does not end as that of a picture. "
                        + "Add .jpg, .png or .webp.")
            }
            guard let target = File(file) else {
                throw Failure("Could not save “\(file.name)”: it is not on this computer.")
            }
            // Nothing is lost, and the user's own file is not published.
            let options = info?.format == format ? nil : EncodeOptions(metadata: .all)
            try target.write(data(as: format, options: options))
        }
    }

    /// Runs on another thread what takes long, such as files and encoding, so that the window goes on drawing.
    func inBackground<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: work)) }
        }
    }
#endif
