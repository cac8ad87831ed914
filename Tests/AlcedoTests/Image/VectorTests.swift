#if SVG
    import AlcedoTestSupport
    import Foundation
    import Testing

    @testable import Alcedo
    @testable import EngineFixtures

    struct `Vector pictures` {
        /// Black on the left, nothing on the right; 4 by 2 pixels by itself.
        private let data = Data(
            "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'><rect width='2' height='2'/></svg>"
                .utf8)
        private let options = KingfisherParsedOptionsInfo([.scaleFactor(2)])

        private func isSharp(_ image: Image) throws -> Bool {
            let bitmap = try image.bitmap()
            let row = (0..<bitmap.width).map { bitmap.pixel($0, bitmap.height - 1)[3] }
            return row.prefix(bitmap.width / 2).allSatisfy { $0 == 255 }
                && row.suffix(bitmap.width / 2).allSatisfy { $0 == 0 }
        }

        @Test func `vector pictures have a size of their own`() throws {
            let image = try #require(Image(data: data))
            #expect(image.pixelSize == PixelSize(width: 4, height: 2))
            #expect(image.info?.isScalable == true)
            #expect(try isSharp(image))
        }

        @Test func `vector pictures are downsampled to exactly the size, larger or smaller than their own`()
            throws
        {
            for (points, pixels) in [
                (100.0, PixelSize(width: 200, height: 100)), (1, PixelSize(width: 2, height: 1)),
            ] {
                let processor = DownsamplingImageProcessor(size: CGSize(width: points, height: points))
                let image = try #require(processor.process(item: .data(data), options: options))
                #expect(image.pixelSize == pixels && image.scale == 2)
                #expect(try isSharp(image))
                let size = CGSize(width: points, height: 0)
                let other = try #require(KingfisherWrapper.downsampledImage(data: data, to: size, scale: 2))
                #expect(other.pixelSize == pixels)
                #expect(try isSharp(other))
            }
        }

        @Test func `vector pictures are drawn anew when resized, even once decoded`() throws {
            let image = try #require(Image(data: data))
            _ = try image.bitmap()
            let processor = ResizingImageProcessor(referenceSize: CGSize(width: 300, height: 50))
            let large = try #require(processor.process(item: .image(image), options: .init([])))
            #expect(large.pixelSize == PixelSize(width: 300, height: 50))
            #expect(try isSharp(large))
        }

        @Test func `vector pictures become pixels once something has changed them`() throws {
            let image = try #require(Image(data: data))
            let blurred = image.kf.blurred(withRadius: 3)
            #expect(blurred.info == nil)
            let processor = DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))
            let same = try #require(processor.process(item: .image(blurred), options: .init([])))
            #expect(same.pixelSize == image.pixelSize)
        }

        @Test func `vector pictures beyond the limits are rejected without waiting for memory`() async {
            let (budget, gate, done) = (DecodeBudget(bytes: 100), Gate(), Recorder<Bool>())
            Thread.detachNewThread { budget.withReservation(of: 100) { gate.wait() } }
            await gate.waitForArrivals(1)
            Thread.detachNewThread { [data] in
                let few = KingfisherParsedOptionsInfo([
                    .decodeLimits(DecodeLimits { $0.pixelsPerFrame = 9999 }), .decodeBudget(budget),
                ])
                for side in [1000.0, 1e300] {
                    let processor = DownsamplingImageProcessor(size: CGSize(width: side, height: side))
                    done.append(processor.process(item: .data(data), options: few) == nil)
                }
            }
            while budget.waitingCount == 0, done.count < 2 { await Task.yield() }
            #expect(done.values == [true, true])
            gate.open()
        }
    }
#endif
#if JXL
    import Alcedo
    import AlcedoTestSupport
    import Foundation
    import Testing

    struct `JPEG XL as an Image` {
        @Test func `an animated JPEG XL is read, and written as a GIF and back`() throws {
            let animation = try #require(Image(data: Data(Fixture.data("jxl/animated.jxl"))))
            #expect(animation.frameCount == 5)
            let written = try #require(Image(data: try animation.data(as: .gif)))
            #expect(written.frameCount == 5 && written.info?.format == .gif)
            let back = try #require(Image(data: try written.data(as: .jxl)))
            #expect(back.frameCount == 5 && back.info?.format == .jxl)
        }
    }
#endif
