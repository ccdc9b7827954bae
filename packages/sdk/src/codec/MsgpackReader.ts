import type { ByteReader } from "./ByteReader.ts"

const TwoTo32 = 0x1_0000_0000

/** Big endian, as msgpack is. */
const readUnsigned = (reader: ByteReader, byteCount: number): number => {
  let value = 0
  for (let at = 0; at < byteCount; at += 1) value = value * 0x100 + reader.u8()
  return value
}

const readSigned = (reader: ByteReader, byteCount: number): number => {
  const value = readUnsigned(reader, byteCount)
  const limit = 2 ** (8 * byteCount - 1)
  return value < limit ? value : value - 2 * limit
}

const scratch = new DataView(new ArrayBuffer(8))

const readFloat = (reader: ByteReader, byteCount: 4 | 8): number => {
  for (let at = 0; at < byteCount; at += 1) scratch.setUint8(at, reader.u8())
  return byteCount === 4 ? scratch.getFloat32(0) : scratch.getFloat64(0)
}

/** The count of entries of a map. Throws `CodecError` when there is none. */
export const readMapHead = (reader: ByteReader): number => {
  const code = reader.u8()
  if ((code & 0xf0) === 0x80) return code & 0x0f
  if (code === 0xde) return readUnsigned(reader, 2)
  if (code === 0xdf) return readUnsigned(reader, 4)
  return reader.fail("not a msgpack map")
}

/** Text. Throws `CodecError` when there is none. */
export const readText = (reader: ByteReader): string => {
  const value = readScalar(reader, reader.u8())
  return typeof value === "string" ? value : reader.fail("not msgpack text")
}

/**
 * A boolean, number, text, `Uint8Array`, or an array of those. Throws `CodecError` for all else:
 * deeper values are never written, and reading them could exhaust the stack.
 */
export const readPlain = (reader: ByteReader): unknown => {
  const code = reader.u8()
  const count = arrayLength(reader, code)
  if (count === null) return readScalar(reader, code)
  if (count > reader.remaining) reader.fail(`${count} items in ${reader.remaining} bytes`)
  const items: Array<unknown> = []
  for (let index = 0; index < count; index += 1) items.push(readScalar(reader, reader.u8()))
  return items
}

const arrayLength = (reader: ByteReader, code: number): number | null => {
  if ((code & 0xf0) === 0x90) return code & 0x0f
  if (code === 0xdc) return readUnsigned(reader, 2)
  return code === 0xdd ? readUnsigned(reader, 4) : null
}

const readScalar = (reader: ByteReader, code: number): unknown => {
  if (code < 0x80) return code
  if (code >= 0xe0) return code - 0x100
  if ((code & 0xe0) === 0xa0) return reader.utf8(code & 0x1f)
  switch (code) {
    case 0xc2:
    case 0xc3:
      return code === 0xc3
    case 0xc4:
      return reader.raw(readUnsigned(reader, 1))
    case 0xc5:
      return reader.raw(readUnsigned(reader, 2))
    case 0xc6:
      return reader.raw(readUnsigned(reader, 4))
    case 0xca:
      return readFloat(reader, 4)
    case 0xcb:
      return readFloat(reader, 8)
    case 0xcc:
      return readUnsigned(reader, 1)
    case 0xcd:
      return readUnsigned(reader, 2)
    case 0xce:
      return readUnsigned(reader, 4)
    case 0xcf:
      return readUnsigned(reader, 4) * TwoTo32 + readUnsigned(reader, 4)
    case 0xd0:
      return readSigned(reader, 1)
    case 0xd1:
      return readSigned(reader, 2)
    case 0xd2:
      return readSigned(reader, 4)
    case 0xd3:
      return readSigned(reader, 4) * TwoTo32 + readUnsigned(reader, 4)
    case 0xd9:
      return reader.utf8(readUnsigned(reader, 1))
    case 0xda:
      return reader.utf8(readUnsigned(reader, 2))
    case 0xdb:
      return reader.utf8(readUnsigned(reader, 4))
    default:
      return reader.fail(`a msgpack value of code ${code}`)
  }
}
