// AlcedoRaster
