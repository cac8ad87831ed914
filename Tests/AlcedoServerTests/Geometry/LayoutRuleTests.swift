import AlcedoPixels
import Testing

@testable import AlcedoServer

struct `Rules of the layout` {
    private func layout(
        _ width: Int, _ height: Int, _ text: String, limit: Int = 0, format: EncodedFormat? = nil
    ) throws -> ImageLayout {
        let size = PixelSize(width: width, height: height)
        return ImageLayout(
            source: LayoutSource(size: size), options: try Reading.options(text),
            maxResultDimension: limit, format: format)
    }

    private func size(_ width: Int, _ height: Int) -> PixelSize {
        PixelSize(width: width, height: height)
    }

    @Test func `a crop rounds pixels down and shares to the nearest, and is inside`() throws {
        #expect(try layout(101, 50, "c:10.9:0").crop.size == size(10, 50))
        #expect(try layout(101, 50, "c:0.5:0.25").crop.size == size(51, 13))
        #expect(try layout(101, 50, "c:0.0001:1e300").crop.size == size(1, 50))
        #expect(try layout(101, 50, "c:1:1").crop.size == size(1, 1))
        #expect(try layout(101, 50, "c:0:0").crop.size == size(101, 50))
    }

    @Test func `a crop takes the gravity of g unless it has its own`() throws {
        #expect(try layout(100, 100, "c:10:10/g:soea").crop.origin == PixelOffset(x: 90, y: 90))
        #expect(try layout(100, 100, "g:soea/c:10:10:nowe:3:0.5").crop.origin == PixelOffset(x: 3, y: 50))
    }

    @Test func `the DPR scales offsets of the result, not those of a crop`() throws {
        #expect(try layout(100, 100, "c:10:10:nowe:3:3/dpr:2").crop.origin == PixelOffset(x: 3, y: 3))
        let cut = try layout(1000, 500, "rs:fill:100:100/g:we:7:0/dpr:2").cut
        #expect(cut == PixelFrame(x: 14, y: 0, width: 200, height: 200))
    }

    @Test func `a smart gravity is the centre and reports if something is cut`() throws {
        let cut = try layout(400, 300, "rs:fill:100:100/g:sm")
        #expect(cut.cutIsSmart && cut.cut.x == 17 && !cut.cropIsSmart)
        #expect(try !layout(400, 300, "rs:fit:100:100/g:sm").cutIsSmart)
        let crop = try layout(400, 300, "c:100:100:sm")
        #expect(crop.cropIsSmart && !crop.cutIsSmart)
        #expect(crop.crop.origin == PixelOffset(x: 150, y: 100))
        #expect(try layout(400, 300, "c:100:100/g:sm").cropIsSmart)
    }

    @Test func `a layout's zoom has two factors`() throws {
        #expect(try layout(4000, 3000, "w:300/h:300/rt:force/z:2:0.5").canvas == size(600, 150))
        #expect(try layout(4000, 3000, "rs:fill:300:300/z:0.5").canvas == size(150, 150))
    }

    @Test func `min-height enlarges and crops too`() throws {
        let layout = try layout(4000, 3000, "w:300/mh:300")
        #expect(layout.scaled == size(400, 300))
        #expect(layout.cut == PixelFrame(x: 50, y: 0, width: 300, height: 300))
        #expect(try self.layout(10, 10, "mw:40").scaled == size(40, 40))
    }

    @Test func `fill-down keeps the ratio of the target`() throws {
        #expect(try layout(200, 150, "rs:fill-down:300:100").cut.size == size(200, 67))
        #expect(try layout(200, 150, "rs:fill-down:100:100").cut.size == size(100, 100))
        #expect(try layout(200, 150, "rs:fill-down:300:300:1").cut.size == size(300, 300))
        #expect(try layout(200, 150, "rs:fill-down:400:300").cut.size == size(200, 150))
        #expect(try layout(5, 5, "rs:fill-down:10000:1").cut.size == size(5, 1))
    }

    @Test func `the resizing type auto fills targets of the same shape`() throws {
        #expect(try layout(300, 300, "rs:auto:100:50").canvas == size(100, 50))
        #expect(try layout(300, 300, "rs:auto:50:100").canvas == size(50, 50))
        #expect(try layout(300, 400, "rs:auto:50:100").canvas == size(50, 100))
    }

    @Test func `extend grows one side alone, and not without a target`() throws {
        #expect(try layout(200, 150, "w:300/ex:1").canvas == size(300, 150))
        #expect(try layout(200, 150, "ex:1").canvas == size(200, 150))
        #expect(try layout(400, 150, "w:300/ex:1").canvas == size(300, 113))
    }

    @Test func `a small image raises a low DPR, unless it is extended`() throws {
        #expect(try layout(200, 150, "rs:fit:300:300/dpr:0.5").dpr == 0.75)
        let extended = try layout(200, 150, "rs:fit:300:300:0:1/dpr:0.5")
        #expect(
            extended.dpr == 0.5 && extended.cut.size == size(100, 75) && extended.canvas == size(150, 150)
        )
        let vector = ImageLayout(
            source: LayoutSource(size: size(200, 150), isVector: true),
            options: try Reading.options("rs:fit:300:300/dpr:2"))
        #expect(vector.canvas == size(600, 450) && vector.dpr == 2)
    }

    @Test func `extend by aspect ratio needs both sides and follows extend`() throws {
        #expect(try layout(200, 150, "w:300/exar:1").canvas == size(200, 150))
        #expect(try layout(200, 150, "rs:fit:300:100/exar:1").canvas == size(300, 100))
        #expect(try layout(100, 100, "rs:fit:301:200/exar:1").canvas == size(151, 100))
        let south = try layout(200, 150, "rs:fit:300:300/exar:1:so")
        #expect(south.origin == PixelOffset(x: 0, y: 50))
        #expect(try layout(200, 150, "rs:fit:300:300/ex:1:nowe/exar:1").origin == .zero)
    }

    @Test func `padding is scaled with halves to even, and is around the extension`() throws {
        let layout = try layout(1000, 1000, "rs:fit:100:50/ex:1:we/pd:1:3:5:7/dpr:0.5")
        // 0.5, 1.5, 2.5 and 3.5 px.
        #expect(layout.canvas == size(50 + 2 + 4, 25 + 0 + 2))
        #expect(layout.origin == PixelOffset(x: 4, y: 0))
        #expect(layout.isExtended)
    }

    @Test func `the longest side of a result is limited with all that is around`() throws {
        #expect(try layout(4000, 3000, "w:3000", limit: 1000).canvas == size(1000, 750))
        let padded = try layout(4000, 3000, "rs:fit:900:900/pd:100", limit: 550)
        #expect(padded.canvas == size(550, 438))
        #expect(padded.dpr == 0.5 && padded.origin == PixelOffset(x: 50, y: 50))
        #expect(try layout(4000, 3000, "ex:1/w:8000/h:100", limit: 1000).canvas.width == 1000)
        #expect(try layout(4000, 3000, "w:3000", limit: 4000).canvas == size(3000, 2250))
        #expect(try layout(100_000, 1, "", limit: 10).canvas == size(10, 1))
    }

    @Test func `the limit of the URL wins over the setting`() throws {
        var rules = URLRules()
        rules.allowsSecurityOptions = true
        var options = try Reading.options("w:3000/mrd:100", rules: rules)
        let source = LayoutSource(size: size(4000, 3000))
        #expect(
            ImageLayout(source: source, options: options, maxResultDimension: 50).canvas == size(100, 75))
        options.limits.maxResultDimension = 0
        #expect(
            ImageLayout(source: source, options: options, maxResultDimension: 50).canvas.width == 3000)
    }

    @Test func `formats limit the sides of a result`() throws {
        #expect(try layout(20000, 10, "", format: .webp).result == size(16383, 8))
        #expect(try layout(20000, 10, "", format: .avif).result == size(16384, 8))
        #expect(try layout(20000, 10, "", format: .heic).result == size(16384, 8))
        #expect(try layout(300, 3, "", format: .ico).result == size(256, 3))
        #expect(try layout(20000, 10, "", format: .png).result == size(20000, 10))
        #expect(try layout(20000, 10, "", format: .webp).canvas == size(20000, 10))
        #expect(FormatSides.shortest(of: .avif) == 16 && FormatSides.shortest(of: .png) == nil)
        for format in [EncodedFormat.avif, .heic] {
            #expect(FormatSides.needsOther(format, PixelSize(width: 8193, height: 8192)))
            #expect(!FormatSides.needsOther(format, PixelSize(width: 8192, height: 8192)))
        }
        #expect(FormatSides.needsOther(.avif, PixelSize(width: 15, height: 99)))
        #expect(!FormatSides.needsOther(.jpeg, PixelSize(width: 9000, height: 9000)))
    }
}
