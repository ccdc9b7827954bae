import { randomBytes } from "node:crypto"

import { KiB, MiB } from "@atrium/wire/limits/Limit"
import { expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"

import { Packing } from "./Packing.ts"

const sizes = [0, 2, 128 * KiB - 1, 128 * KiB, 128 * KiB + 1, 3 * MiB]

it.effect("[C-921] unpacking gives back every state that was packed, of any size and content", () =>
  Effect.gen(function* () {
    const packing = yield* Packing
    for (const size of sizes) {
      for (const state of [new Uint8Array(size).fill(7), new Uint8Array(randomBytes(size))]) {
        const packed = yield* packing.pack(state)
        expect(packed.length).toBeLessThan(size + KiB)
        const unpacked = yield* packing.unpack(packed, size + 1)
        expect(Buffer.compare(unpacked, state)).toBe(0)
      }
    }
  })
)

it.effect("[C-921] bytes that are not packed, or unpack to more than they may, are no state", () =>
  Effect.gen(function* () {
    const packing = yield* Packing
    for (const size of sizes.slice(1)) {
      const packed = yield* packing.pack(new Uint8Array(size))
      expect(Exit.isFailure(yield* Effect.exit(packing.unpack(packed, size - 1)))).toBe(true)
    }
    const damaged = new Uint8Array([1, 2, 3])
    expect(Exit.isFailure(yield* Effect.exit(packing.unpack(damaged, MiB)))).toBe(true)
  })
)
