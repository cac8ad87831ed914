// AlcedoCodecs
