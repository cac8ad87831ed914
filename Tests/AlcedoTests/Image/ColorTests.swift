import Alcedo
import Foundation
import Testing

struct `A colour` {
    @Test func `a colour keeps its components from 0 to 1, whatever they were`() {
        let colour = Color(red: .nan, green: -1, blue: 2, alpha: .infinity)
        #expect(colour == Color(red: 0, green: 0, blue: 1))
        #expect(Color(white: .nan) == .black)
        #expect(Color(hue: .nan, saturation: 2, brightness: 7, alpha: -1) == Color.red.withAlphaComponent(0))
    }

    @Test(arguments: [
        (Color(hue: 0, saturation: 1, brightness: 1), Color.red),
        (Color(hue: 1, saturation: 1, brightness: 1), .red),
        (Color(hue: 1 / 6, saturation: 1, brightness: 1), .yellow),
        (Color(hue: 1 / 3, saturation: 1, brightness: 1), .green),
        (Color(hue: 0.5, saturation: 1, brightness: 1), .cyan),
        (Color(hue: 2 / 3, saturation: 1, brightness: 1), .blue),
        (Color(hue: 5 / 6, saturation: 1, brightness: 0.5), .purple),
        (Color(hue: 0.3, saturation: 0, brightness: 0.5), .gray),
    ])
    func `a colour is made from hue, saturation and brightness`(_ made: Color, _ expected: Color) {
        #expect(abs(made.red - expected.red) < 1e-9)
        #expect(abs(made.green - expected.green) < 1e-9)
        #expect(abs(made.blue - expected.blue) < 1e-9)
    }

    @Test(arguments: [Color.red, .orange, .brown, .purple, .green, .blue, .cyan, .gray, .black])
    func `a colour tells its hue, saturation and brightness`(_ colour: Color) {
        var (hue, saturation, brightness, alpha) = (CGFloat(9), CGFloat(9), CGFloat(9), CGFloat(9))
        #expect(colour.getHue(&hue, saturation: &saturation, brightness: &brightness, alpha: &alpha))
        let back = Color(hue: hue, saturation: saturation, brightness: brightness, alpha: alpha)
        #expect(abs(back.red - colour.red) < 1e-9 && abs(back.green - colour.green) < 1e-9)
        #expect(abs(back.blue - colour.blue) < 1e-9 && back.alpha == colour.alpha)
    }

    @Test func `a colour tells its components`() {
        var (red, green, blue, alpha) = (CGFloat(9), CGFloat(9), CGFloat(9), CGFloat(9))
        #expect(Color.brown.getRed(&red, green: &green, blue: &blue, alpha: nil))
        #expect(red == 0.6 && green == 0.4 && blue == 0.2)
        #expect(Color(white: 0.25, alpha: 0.5).getWhite(&red, alpha: &alpha))
        #expect(red == 0.25 && alpha == 0.5)
        #expect(!Color.brown.getWhite(&red, alpha: nil))
    }

    @Test func `a colour is made from components in Display P3`() {
        // The primaries of sRGB in Display P3.
        let green = Color(displayP3Red: 0.4584, green: 0.9853, blue: 0.2983, alpha: 0.5)
        #expect(green.red < 0.03 && abs(green.green - 1) < 0.001 && green.blue < 0.03 && green.alpha == 0.5)
        let red = Color(displayP3Red: 0.9175, green: 0.2003, blue: 0.1386, alpha: 1)
        #expect(abs(red.red - 1) < 0.001 && red.green < 0.03 && red.blue < 0.03)
        #expect(Color(displayP3Red: 1, green: 0, blue: 0, alpha: 1) == .red)
        for white in [0, 0.2, 1] as [CGFloat] {
            let grey = Color(displayP3Red: white, green: white, blue: white, alpha: 1)
            #expect(
                abs(grey.red - white) < 1e-5 && abs(grey.green - white) < 1e-5
                    && abs(grey.blue - white) < 1e-5)
        }
    }

    @Test func `colours are equal however they were made, and describe how they were made`() {
        let white = Color(red: 1, green: 1, blue: 1)
        #expect(white == .white)
        #expect(white.hashValue == Color.white.hashValue)
        #expect(white.description == "UIExtendedSRGBColorSpace 1 1 1 1")
        #expect(Color.white.description == "UIExtendedGrayColorSpace 1 1")
        #expect(
            Color(red: 0.2, green: 0.4, blue: 1 / 3).description
                == "UIExtendedSRGBColorSpace 0.2 0.4 0.333333 1")
        #expect(white != white.withAlphaComponent(0.5))
    }
}
