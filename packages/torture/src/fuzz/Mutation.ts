import type { Chance } from "@atrium/api/testing/Chance"

/** Bytes at which formats change their mind: signs, widths, ends of ranges, msgpack's tokens. */
const Telling = [
  0, 1, 15, 16, 31, 32, 126, 127, 128, 129, 143, 144, 145, 159, 160, 191, 192, 193, 194, 195, 196,
  197, 198, 199, 201, 202, 203, 204, 207, 211, 212, 216, 217, 218, 219, 220, 221, 222, 223, 224,
  254, 255
]
const TellingLengths = [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x10000, 0x7fffffff]
const LongBytes = 64 * 1024

type Change = (chance: Chance, bytes: Buffer, others: ReadonlyArray<Uint8Array>) => Buffer

const Changes: ReadonlyArray<Change> = [
  function flipsABit(chance, bytes) {
    const at = chance.below(Math.max(1, bytes.length))
    if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.below(8))
    return bytes
  },
  function writesATellingByte(chance, bytes) {
    const at = chance.below(Math.max(1, bytes.length))
    if (at < bytes.length) bytes[at] = chance.pick(Telling)
    return bytes
  },
  function writesALength(chance, bytes) {
    if (bytes.length < 4) return bytes
    const length = chance.one(2) ? chance.pick(TellingLengths) : 0xffff_ffff - chance.below(3)
    const at = chance.below(bytes.length - 3)
    if (chance.one(2)) bytes.writeUInt32LE(length, at)
    else bytes.writeUInt32BE(length, at)
    return bytes
  },
  function cutsTheEnd(chance, bytes) {
    return bytes.subarray(0, chance.below(bytes.length + 1))
  },
  function goesOn(chance, bytes) {
    return Buffer.concat([bytes, chance.bytes(1 + chance.length(64))])
  },
  function losesAPiece(chance, bytes) {
    const from = chance.below(bytes.length + 1)
    const to = from + chance.below(bytes.length - from + 1)
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
  },
  function repeatsAPiece(chance, bytes) {
    const from = chance.below(bytes.length + 1)
    const piece = bytes.subarray(from, from + chance.length(64))
    return Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(from)])
  },
  function takesFromAnother(chance, bytes, others) {
    if (others.length === 0) return bytes
    const other = chance.pick(others)
    const cut = chance.below(other.length + 1)
    return Buffer.concat([bytes.subarray(0, chance.below(bytes.length + 1)), other.subarray(cut)])
  },
  function nests(chance, bytes) {
    const token = chance.pick([0x91, 0x81, 0x92, 0xdd])
    const at = chance.below(bytes.length + 1)
    const depth = 1 + chance.below(chance.one(50) ? 20_000 : 130)
    return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(depth, token), bytes.subarray(at)])
  },
  function isAnything(chance) {
    return chance.bytes(chance.length(256))
  },
  function isLong(chance, bytes) {
    if (!chance.one(200)) return bytes
    const filling = Buffer.alloc(chance.below(LongBytes), chance.pick(Telling))
    return Buffer.concat([bytes, filling])
  }
]

/** One to four changes to a valid input; the same chance makes the same ones. */
export const mutate = (
  chance: Chance,
  valid: Uint8Array,
  others: ReadonlyArray<Uint8Array> = []
): Buffer => {
  let bytes: Buffer = Buffer.from(valid)
  for (let changes = 1 + chance.below(4); changes > 0; changes--) {
    bytes = chance.pick(Changes)(chance, bytes, others)
  }
  return bytes
}
