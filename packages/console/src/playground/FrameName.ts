import type { SchemaDescriptor } from "@atrium/sdk/schema"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"

const namesOf = (types: Readonly<Record<string, number>>): ReadonlyMap<number, string> =>
  new Map(Object.entries(types).map(([name, type]) => [type, name]))
const sent = namesOf(ClientFrame)
const received = namesOf(ServerFrame)

/** Messages and calls of a schema, in the order that frames number them in. */
type Named = Pick<SchemaDescriptor, "messages" | "rpc">

/** What a frame is, and of which message or call where it names one: `rpc add`. */
export const frameName = (frame: Uint8Array, isSent: boolean, { messages, rpc }: Named): string => {
  const [type = 0, first = 0, second = 0] = numbersOf(frame, 3)
  const name = (isSent ? sent : received).get(type) ?? `frame ${type}`
  if (name === "msg") return `${name} ${messages[first]?.name ?? "?"}`
  const calls = isSent ? rpc.client : rpc.server
  return name === "rpc" ? `${name} ${calls[second]?.name ?? "?"}` : name
}

/** The first elements of a msgpack array, as far as they are whole numbers of 0 or more. */
const numbersOf = (frame: Uint8Array, max: number): ReadonlyArray<number> => {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const head = frame[0] ?? 0
  let at = head === 0xdc ? 3 : 1
  const found: Array<number> = []
  while (found.length < max && at < frame.length) {
    const tag = frame[at] ?? 0
    const size = tag < 0x80 ? 0 : ({ 0xcc: 1, 0xcd: 2, 0xce: 4 }[tag] ?? null)
    if (size === null || at + size >= frame.length + (size === 0 ? 1 : 0)) break
    found.push(size === 0 ? tag : numberAt(view, at + 1, size))
    at += 1 + size
  }
  return found
}

const numberAt = (view: DataView, at: number, size: number): number =>
  size === 1 ? view.getUint8(at) : size === 2 ? view.getUint16(at) : view.getUint32(at)
