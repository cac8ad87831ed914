#if JP2
    import AlcedoPixels
    import COpenJPEG

    /// The samples of one channel, which outlive it.
    struct JP2Channel {
        let size: PixelSize
        /// Bits of a sample.
        let depth: Int

        private let samples: UnsafePointer<Int32>
        /// The offset that makes signed samples start at 0.
        private let offset: Int
        private let maximum: Int

        /// Nil without samples.
        init?(_ component: opj_image_comp_t) {
            guard let data = component.data, component.w > 0, component.h > 0, 1...31 ~= component.prec
            else { return nil }
            samples = UnsafePointer(data)
            size = PixelSize(width: Int(component.w), height: Int(component.h))
            depth = Int(component.prec)
            offset = component.sgnd != 0 ? 1 << (component.prec - 1) : 0
            maximum = 1 << component.prec - 1
        }

        /// Writes a row of numbers up to the highest, with the nearest sample if the channel is smaller than the picture.
        func read<Number: FixedWidthInteger>(_ row: Int, of picture: PixelSize, into numbers: inout [Number])
        {
            let highest = Int(Number.max)
            let (start, isWhole) = (start(of: row, picture), size.width == picture.width)
            for column in 0..<picture.width {
                let sample = start[isWhole ? column : column * size.width / picture.width]
                let value = min(max(Int(sample) + offset, 0), maximum)
                numbers[column] = Number(
                    truncatingIfNeeded: maximum == highest ? value : (value * highest + maximum / 2) / maximum
                )
            }
        }

        /// Writes a row of numbers: samples from 0, less `zero`, times `scale`.
        func read(
            _ row: Int, of picture: PixelSize, _ zero: Float, _ scale: Float, into values: inout [Float]
        ) {
            let (start, isWhole) = (start(of: row, picture), size.width == picture.width)
            for column in 0..<picture.width {
                let sample = start[isWhole ? column : column * size.width / picture.width]
                values[column] = (Float(min(max(Int(sample) + offset, 0), maximum)) - zero) * scale
            }
        }

        private func start(of row: Int, _ picture: PixelSize) -> UnsafePointer<Int32> {
            samples + min(row * size.height / picture.height, size.height - 1) * size.width
        }
    }
#endif
