import { utf8Length } from "../schema/Utf8.ts"
import type { ByteWriter } from "./ByteWriter.ts"

const U8Max = 0xff
const U16Max = 0xffff

/** Big endian, as msgpack is. */
const writeUnsigned = (writer: ByteWriter, value: number, byteCount: number): void => {
  for (let shift = 8 * (byteCount - 1); shift >= 0; shift -= 8) writer.u8((value >>> shift) & U8Max)
}

const Heads = {
  map: { fix: 0x80, two: 0xde, four: 0xdf },
  array: { fix: 0x90, two: 0xdc, four: 0xdd }
} as const

/** The head of a map or array of so many entries. */
export const writeHead = (writer: ByteWriter, kind: "map" | "array", count: number): void => {
  const head = Heads[kind]
  if (count < 16) {
    writer.u8(head.fix | count)
  } else if (count <= U16Max) {
    writer.u8(head.two)
    writeUnsigned(writer, count, 2)
  } else {
    writer.u8(head.four)
    writeUnsigned(writer, count, 4)
  }
}

/** The length of text or binary in 1, 2 or 4 bytes, after the code of that size. */
const writeLength = (writer: ByteWriter, firstCode: number, length: number): void => {
  if (length <= U8Max) {
    writer.u8(firstCode)
    writer.u8(length)
  } else if (length <= U16Max) {
    writer.u8(firstCode + 1)
    writeUnsigned(writer, length, 2)
  } else {
    writer.u8(firstCode + 2)
    writeUnsigned(writer, length, 4)
  }
}

export const writeText = (writer: ByteWriter, text: string): void => {
  const length = utf8Length(text)
  if (length < 32) writer.u8(0xa0 | length)
  else writeLength(writer, 0xd9, length)
  writer.utf8(text, length)
}

export const writeBinary = (writer: ByteWriter, bytes: Uint8Array): void => {
  writeLength(writer, 0xc4, bytes.length)
  writer.raw(bytes)
}

/** A whole number of 32 bits, signed or not, in the shortest form. */
export const writeInteger = (writer: ByteWriter, value: number): void => {
  if (value >= -0x20 && value < 0x80) {
    writer.u8(value & U8Max)
    return
  }
  const unsigned = value >= 0
  const byteCount = integerBytes(unsigned ? value : -2 * value - 1)
  const sizeCode = byteCount === 4 ? 2 : byteCount - 1
  writer.u8((unsigned ? 0xcc : 0xd0) + sizeCode)
  writeUnsigned(writer, value, byteCount)
}

const integerBytes = (magnitude: number): number => {
  if (magnitude <= U8Max) return 1
  return magnitude <= U16Max ? 2 : 4
}

const scratch = new DataView(new ArrayBuffer(8))

const writeScratch = (writer: ByteWriter, byteCount: number): void => {
  for (let at = 0; at < byteCount; at += 1) writer.u8(scratch.getUint8(at))
}

export const writeSingle = (writer: ByteWriter, value: number): void => {
  scratch.setFloat32(0, value)
  writer.u8(0xca)
  writeScratch(writer, 4)
}

export const writeDouble = (writer: ByteWriter, value: number): void => {
  scratch.setFloat64(0, value)
  writer.u8(0xcb)
  writeScratch(writer, 8)
}
