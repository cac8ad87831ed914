import Alcedo
import Foundation
import Testing

struct `Identifiers of processors` {
    private let size = CGSize(width: 100, height: 50.5)
    private let amber = Color(red: 1, green: 0.75, blue: 0.125, alpha: 0.5)

    private func expect(_ processor: any ImageProcessor, _ text: String) {
        #expect(processor.identifier == "com.onevcat.Kingfisher." + text)
    }

    @Test func `identifiers of processors name sizes and places as Apple's platforms print them`() {
        expect(DownsamplingImageProcessor(size: size), "DownsamplingImageProcessor((100.0, 50.5))")
        expect(ResizingImageProcessor(referenceSize: size), "ResizingImageProcessor((100.0, 50.5))")
        expect(
            ResizingImageProcessor(referenceSize: size, mode: .aspectFill),
            "ResizingImageProcessor((100.0, 50.5), aspectFill)")
        expect(CroppingImageProcessor(size: size), "CroppingImageProcessor((100.0, 50.5)_(0.5, 0.5))")
        expect(
            CroppingImageProcessor(size: size, anchor: CGPoint(x: 0, y: 1)),
            "CroppingImageProcessor((100.0, 50.5)_(0.0, 1.0))")
    }

    @Test func `identifiers of processors name numbers`() {
        expect(BlurImageProcessor(blurRadius: 4), "BlurImageProcessor(4.0)")
        expect(BlackWhiteProcessor(), "BlackWhiteProcessor")
        expect(
            ColorControlsProcessor(brightness: 0.1, contrast: 1, saturation: 0, inputEV: -0.7),
            "ColorControlsProcessor(0.1_1.0_0.0_-0.7)")
    }

    @Test func `identifiers of processors name colours with two decimals`() {
        expect(TintImageProcessor(tint: amber), "TintImageProcessor((1.00,0.75,0.12,0.50))")
        expect(
            OverlayImageProcessor(overlay: .white, fraction: 0.25),
            "OverlayImageProcessor((1.00,1.00,1.00,1.00)_0.25)")
    }

    @Test func `identifiers of processors name a round corner's colour as UIKit describes it`() {
        expect(RoundCornerImageProcessor(cornerRadius: 20), "RoundCornerImageProcessor(20.0)")
        expect(
            RoundCornerImageProcessor(radius: .widthFraction(0.5), targetSize: size),
            "RoundCornerImageProcessor(w_frac_0.5_(100.0, 50.5))")
        expect(
            RoundCornerImageProcessor(
                radius: .heightFraction(0.5), targetSize: size, roundingCorners: [.topLeft, .topRight],
                backgroundColor: amber),
            "RoundCornerImageProcessor(h_frac_0.5_(100.0, 50.5)_corner(3))"
                + "_UIExtendedSRGBColorSpace 1 0.75 0.125 0.5")
        expect(
            RoundCornerImageProcessor(cornerRadius: 1, backgroundColor: .white.withAlphaComponent(0.5)),
            "RoundCornerImageProcessor(1.0)_UIExtendedGrayColorSpace 1 0.5")
    }
}
