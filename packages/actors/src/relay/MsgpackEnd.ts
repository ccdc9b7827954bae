import { isUtf8 } from "node:buffer"

import { DepthMax } from "@atrium/wire/msgpack/MsgpackReader"

/** The answer of {@link valueEnd} for bytes that are no value. */
export const NoValue = -1

const protoKey = Uint8Array.from("__proto__", (character) => character.charCodeAt(0))

/**
 * Where the msgpack value that begins at `at` ends, found without making anything of it. A client's
 * reader takes whatever this takes: no extension types, text in UTF-8, maps with texts as keys.
 *
 * @returns {@link NoValue} for bytes that are no such value, or that end before it
 */
export const valueEnd = (bytes: Uint8Array, at: number, depth: number): number => {
  const token = bytes[at]
  if (token === undefined || depth > DepthMax) return NoValue
  const next = at + 1
  if (token <= 0x7f || token >= 0xe0) return next
  if (token <= 0x8f) return mapEnd(bytes, next, { count: token - 0x80, depth })
  if (token <= 0x9f) return arrayEnd(bytes, next, { count: token - 0x90, depth })
  if (token <= 0xbf) return textEnd(bytes, next, token - 0xa0)
  switch (token) {
    case 0xc0:
    case 0xc2:
    case 0xc3:
      return next
    case 0xc4:
    case 0xc5:
    case 0xc6: {
      const width = 1 << (token - 0xc4)
      return within(bytes, next + width, uintAt(bytes, next, width))
    }
    case 0xca:
    case 0xce:
    case 0xd2:
      return within(bytes, next, 4)
    case 0xcb:
    case 0xcf:
    case 0xd3:
      return within(bytes, next, 8)
    case 0xcc:
    case 0xd0:
      return within(bytes, next, 1)
    case 0xcd:
    case 0xd1:
      return within(bytes, next, 2)
    case 0xd9:
    case 0xda:
    case 0xdb: {
      const width = 1 << (token - 0xd9)
      return textEnd(bytes, next + width, uintAt(bytes, next, width))
    }
    case 0xdc:
    case 0xdd: {
      const width = token === 0xdc ? 2 : 4
      return arrayEnd(bytes, next + width, { count: uintAt(bytes, next, width), depth })
    }
    case 0xde:
    case 0xdf: {
      const width = token === 0xde ? 2 : 4
      return mapEnd(bytes, next + width, { count: uintAt(bytes, next, width), depth })
    }
    default:
      return NoValue
  }
}

/** Past the end it is more than there can be. */
const uintAt = (bytes: Uint8Array, at: number, width: number): number => {
  if (at + width > bytes.length) return Number.POSITIVE_INFINITY
  let value = 0
  for (let place = 0; place < width; place++) value = value * 256 + (bytes[at + place] ?? 0)
  return value
}

const within = (bytes: Uint8Array, at: number, length: number): number =>
  length <= bytes.length - at ? at + length : NoValue

const textEnd = (bytes: Uint8Array, from: number, length: number): number => {
  const end = within(bytes, from, length)
  for (let at = from; at < end; at++) {
    if ((bytes[at] ?? 0) >= 0x80) return isUtf8(bytes.subarray(at, end)) ? end : NoValue
  }
  return end
}

interface Items {
  readonly count: number
  readonly depth: number
}

const arrayEnd = (bytes: Uint8Array, from: number, { count, depth }: Items): number => {
  if (count > bytes.length - from) return NoValue
  let at = from
  for (let item = 0; item < count && at !== NoValue; item++) at = valueEnd(bytes, at, depth + 1)
  return at
}

const mapEnd = (bytes: Uint8Array, from: number, { count, depth }: Items): number => {
  if (2 * count > bytes.length - from) return NoValue
  let at = from
  for (let item = 0; item < count && at !== NoValue; item++) {
    const end = keyEnd(bytes, at, depth + 1)
    at = end === NoValue ? NoValue : valueEnd(bytes, end, depth + 1)
  }
  return at
}

const keyEnd = (bytes: Uint8Array, at: number, depth: number): number => {
  const token = bytes[at] ?? 0
  const short = token >= 0xa0 && token <= 0xbf
  if (!short && !(token >= 0xd9 && token <= 0xdb)) return NoValue
  const end = valueEnd(bytes, at, depth)
  const from = at + (short ? 1 : 1 + (1 << (token - 0xd9)))
  return end !== NoValue && isProto(bytes, from, end) ? NoValue : end
}

const isProto = (bytes: Uint8Array, from: number, end: number): boolean =>
  end - from === protoKey.length && protoKey.every((byte, place) => bytes[from + place] === byte)
