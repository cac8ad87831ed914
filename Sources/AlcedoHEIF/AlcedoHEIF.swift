// AlcedoHEIF
