#pragma once

#include <stdint.h>
#include <string.h>

// Vectors of 32 bytes, which the compiler splits for processors without them. Every function is inlined and so uses the
// instruction set of its caller.

// Inlined functions have no calling convention, so the warning about the ABI of wide vectors does not apply.
#pragma clang diagnostic ignored "-Wpsabi"

#define INLINE static inline __attribute__((always_inline))

typedef uint8_t bytes32 __attribute__((vector_size(32)));
typedef uint16_t words16 __attribute__((vector_size(32)));
typedef int16_t lanes16 __attribute__((vector_size(32)));

INLINE bytes32 load(const void *memory) {
    bytes32 vector;
    memcpy(&vector, memory, sizeof vector);
    return vector;
}

INLINE void store(void *memory, bytes32 vector) { memcpy(memory, &vector, sizeof vector); }

/// The upper 16 bits of unsigned products: one instruction on x86-64.
INLINE words16 upper_unsigned(words16 one, words16 other) {
    typedef uint32_t wide __attribute__((vector_size(64)));
    wide product = __builtin_convertvector(one, wide) * __builtin_convertvector(other, wide);
    return __builtin_convertvector(product >> 16, words16);
}

/// The upper 16 bits of signed products: one instruction on x86-64.
INLINE lanes16 upper_signed(lanes16 one, lanes16 other) {
    typedef int32_t wide __attribute__((vector_size(64)));
    wide product = __builtin_convertvector(one, wide) * __builtin_convertvector(other, wide);
    return __builtin_convertvector(product >> 16, lanes16);
}

/// Means, rounded up: one instruction.
INLINE bytes32 mean(bytes32 one, bytes32 other) { return (one | other) - ((one ^ other) >> 1); }

/// The kernel (1 3 3 1)/8: 3/4 of the mean of the inner two and 1/4 of the mean of the outer two.
INLINE bytes32 spline(bytes32 one, bytes32 two, bytes32 three, bytes32 four) {
    bytes32 inner = mean(two, three);
    return mean(inner, mean(inner, mean(one, four)));
}
