import AlcedoPixels
import AlcedoRaster
import Testing

struct `A canvas` {
    private let black = RasterColor(red: 0, green: 0, blue: 0)
    private let clear = RasterColor(red: 0, green: 0, blue: 0, alpha: 0)
    private let blue = RasterColor(red: 0, green: 0, blue: 1)

    @Test func `a canvas starts with its background`() throws {
        let opaque = try BitmapCanvas(size: PixelSize(width: 3, height: 2), background: blue).finish()
        #expect(opaque.alpha == .opaque)
        #expect(opaque.pixels == Array(repeating: Pixel(blue: 255, green: 0, red: 0), count: 6))

        let half = RasterColor(red: 1, green: 2, blue: -1, alpha: 0.2)
        let translucent = try BitmapCanvas(size: PixelSize(width: 1, height: 1), background: half).finish()
        #expect(translucent.alpha == .premultiplied)
        #expect(translucent.pixels == [Pixel(blue: 0, green: 51, red: 51, alpha: 51)])
    }

    @Test func `a canvas draws a bitmap pixel for pixel at whole numbers`() throws {
        let picture = try Bitmap.noise(7, 5)
        var canvas = try BitmapCanvas(size: PixelSize(width: 20, height: 12), background: blue)
        try canvas.draw(picture, in: PixelRect(x: 6, y: 3, width: 7, height: 5))
        let result = canvas.finish()
        for y in 0..<12 {
            for x in 0..<20 {
                let isInside = (6..<13).contains(x) && (3..<8).contains(y)
                let expected = isInside ? picture[x - 6, y - 3] : Pixel(blue: 255, green: 0, red: 0)
                #expect(result[x, y] == expected)
            }
        }
    }

    @Test func `a canvas scales a bitmap like resizing does`() throws {
        let picture = try Bitmap.noise(64, 48)
        var canvas = try BitmapCanvas(size: PixelSize(width: 30, height: 30), background: black)
        try canvas.draw(picture, in: PixelRect(x: 2, y: 4, width: 16, height: 12))
        let part = try canvas.finish().cropped(x: 2, y: 4, width: 16, height: 12)
        #expect(part.pixels == (try picture.resized(to: part.size)).pixels)
    }

    @Test func `a canvas draws between pixels`() throws {
        let picture = try Bitmap.make(4, 4) { _, _ in Pixel(grey: 255) }
        var canvas = try BitmapCanvas(size: PixelSize(width: 10, height: 10), background: black)
        try canvas.draw(picture, in: PixelRect(x: 2.5, y: 3, width: 4, height: 4))
        let result = canvas.finish()
        #expect(result[1, 4] == Pixel(grey: 0) && result[7, 4] == Pixel(grey: 0))
        #expect(result[2, 4].distance(to: Pixel(grey: 128)) <= 2)
        #expect(result[6, 4].distance(to: Pixel(grey: 128)) <= 2)
        #expect(result[4, 4] == Pixel(grey: 255) && result[4, 2] == Pixel(grey: 0))
    }

    @Test func `a canvas blends a translucent bitmap with what is there`() throws {
        let picture = try Bitmap.make(2, 2, alpha: .premultiplied) { _, _ in
            Pixel(blue: 0, green: 0, red: 128, alpha: 128)
        }
        var canvas = try BitmapCanvas(size: PixelSize(width: 2, height: 2), background: blue)
        try canvas.draw(picture, in: PixelRect(x: 0, y: 0, width: 2, height: 2))
        #expect(canvas.finish().pixels.allSatisfy { $0 == Pixel(blue: 127, green: 0, red: 128) })
    }

    @Test func `a canvas fills a rectangle`() throws {
        var canvas = try BitmapCanvas(size: PixelSize(width: 10, height: 8), background: clear)
        try canvas.fill(PixelRect(x: 2, y: 1, width: 5, height: 4), color: blue)
        let result = canvas.finish()
        for y in 0..<8 {
            for x in 0..<10 {
                let isInside = (2..<7).contains(x) && (1..<5).contains(y)
                #expect(result[x, y] == (isInside ? Pixel(blue: 255, green: 0, red: 0) : .clear))
            }
        }
    }

    @Test func `a canvas rounds a rectangle's corners`() throws {
        var canvas = try BitmapCanvas(size: PixelSize(width: 20, height: 20), background: clear)
        try canvas.fill(PixelRect(x: 2, y: 2, width: 16, height: 16), color: blue, cornerRadius: 100)
        let result = canvas.finish()
        #expect(result[2, 2] == .clear && result[17, 17] == .clear)
        #expect(result[10, 10].alpha == 255 && result[2, 10].alpha > 200)
    }

    @Test func `a canvas writes text above its baseline`() throws {
        var canvas = try BitmapCanvas(size: PixelSize(width: 80, height: 40), background: black)
        try canvas.text("HÉH", x: 10, y: 30, size: 20, color: RasterColor(red: 1, green: 1, blue: 1))
        let result = canvas.finish()
        var columns: [Int] = []
        var rows: [Int] = []
        for y in 0..<40 {
            for x in 0..<80 where result[x, y].green > 64 {
                columns.append(x)
                rows.append(y)
            }
        }
        #expect(columns.count > 30)
        #expect(try #require(columns.min()) >= 9)
        #expect(try (20...70).contains(#require(columns.max())))
        #expect(try (28...30).contains(#require(rows.max())))
        #expect(try (5...20).contains(#require(rows.min())))
    }

    @Test func `a canvas is drawn over a bitmap, which stays as it is`() throws {
        let picture = try Bitmap.noise(6, 4)
        var canvas = try BitmapCanvas(over: picture)
        try canvas.fill(PixelRect(x: 1, y: 1, width: 2, height: 1), color: blue)
        let result = canvas.finish()
        #expect(result.alpha == picture.alpha)
        for y in 0..<4 {
            for x in 0..<6 {
                let isInside = (1..<3).contains(x) && y == 1
                #expect(result[x, y] == (isInside ? Pixel(blue: 255, green: 0, red: 0) : picture[x, y]))
            }
        }
    }

    @Test func `a canvas fills and strokes paths`() throws {
        var square = BitmapCanvas.Path()
        square.move(x: 2, y: 2)
        square.line(x: 8, y: 2)
        square.line(x: 8, y: 8)
        square.line(x: 2, y: 8)
        square.close()
        let size = PixelSize(width: 10, height: 10)
        let filled = try BitmapCanvas.bitmap(size: size, background: clear) { canvas in
            try canvas.fill(square, color: blue)
        }
        #expect(filled[5, 5].alpha == 255 && filled[2, 2].alpha == 255 && filled[1, 5] == .clear)
        let stroked = try BitmapCanvas.bitmap(size: size, background: clear) { canvas in
            try canvas.stroke(square, color: blue, width: 2)
        }
        #expect(stroked[5, 5] == .clear && stroked[5, 2].alpha == 255 && stroked[1, 5].alpha == 255)
    }

    @Test func `a font measures and breaks lines as they are drawn`() throws {
        let font = BitmapCanvas.Font(size: 20, isBold: true)
        let (word, text) = (try font.bounds(of: "mmm"), "mmm mmm mmm\nm")
        #expect(word.width > 30 && word.height >= 20 && word.y < -10 && word.y > -word.height)
        #expect(try font.bounds(of: "mmmmmm").width == word.width * 2)
        #expect(try font.lines(of: text, width: word.width * 2.5) == ["mmm mmm", "mmm", "m"])
        #expect(try font.lines(of: text, width: 1) == ["mmm", "mmm", "mmm", "m"])
        #expect(try font.lines(of: "m\r\nm\r\n\r\nm\rm", width: 1000) == ["m", "m", "", "m", "m"])
        #expect(try font.lines(of: "", width: 10) == [""])

        let white = RasterColor(red: 1, green: 1, blue: 1)
        let width = Int(word.width.rounded(.up)) + 20
        let area = PixelRect(x: 10, y: 4, width: word.width, height: word.height * 2)
        let size = PixelSize(width: width, height: Int(word.height) * 4)
        let drawn = try BitmapCanvas.bitmap(size: size, background: black) { canvas in
            try canvas.text(text, in: area, font: font, color: white)
        }
        var rows: Set<Int> = []
        for y in 0..<size.height {
            for x in 0..<width where drawn[x, y].green > 64 {
                rows.insert(y)
                #expect((10..<width - 8).contains(x))
            }
        }
        // Two of the four lines fit.
        #expect(try #require(rows.min()) >= 4)
        #expect(try #require(rows.max()) < Int(4 + word.height * 2))
        #expect(try #require(rows.max()) > Int(4 + word.height))
    }

    @Test func `a canvas ignores what is empty or outside`() throws {
        let picture = try Bitmap.noise(4, 4)
        var canvas = try BitmapCanvas(size: PixelSize(width: 4, height: 4), background: black)
        try canvas.draw(picture, in: PixelRect(x: 0, y: 0, width: 0, height: 4))
        try canvas.draw(picture, in: PixelRect(x: 100, y: -50, width: 4, height: 4))
        try canvas.fill(PixelRect(x: 0, y: 0, width: 4, height: -4), color: blue)
        try canvas.text("", x: 0, y: 2, size: 10, color: blue)
        #expect(canvas.finish().pixels.allSatisfy { $0 == Pixel(grey: 0) })
    }

    @Test func `a canvas rejects sizes that cairo cannot draw`() throws {
        #expect(throws: CodecError.self) {
            _ = try BitmapCanvas(size: PixelSize(width: 40_000, height: 1), background: black).finish()
        }
        var canvas = try BitmapCanvas(size: PixelSize(width: 4, height: 4), background: black)
        let picture = try Bitmap.noise(4, 4)
        var error: CodecError?
        do throws(CodecError) {
            try canvas.draw(picture, in: PixelRect(x: 0, y: 0, width: 1e9, height: 1))
        } catch let caught {
            error = caught
        }
        #expect(error != nil)
    }
}
