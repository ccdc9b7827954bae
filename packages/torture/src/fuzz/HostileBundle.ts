import { frameOf, FromRoom, ToRoom } from "@atrium/runtime/host/HostFrames"
import { Reports } from "@atrium/runtime/host/RoomReports"
import { roomTypeOf } from "@atrium/runtime/room/RoomTypes"
import { defineSchema } from "@atrium/sdk/schema"

import { validReports } from "./ReportCorpus.ts"

/** What a hostile room does once somebody has joined it: the first word of its id. */
export const HostileWays = [
  "lies",
  "floods",
  "halves",
  "claims",
  "shouts",
  "throws",
  "rejects",
  "silent"
] as const

/** Frames that one life of a room that lies sends. */
export const LiesPerLife = 40

const hostile = defineSchema({ type: "hostile", hibernateAfterMs: 1_000, reconnectForMs: 200 })

const literal = (frames: ReadonlyArray<Uint8Array>): string =>
  JSON.stringify(frames.map((frame) => [...frame]))

/** Node and the runtime are there as for any room; `room` is this script's own affair. */
const source = `
  const valid = ${literal(validReports)}.map((bytes) => Uint8Array.from(bytes))
  const described = Uint8Array.from(${JSON.stringify([...Reports.described(JSON.stringify([roomTypeOf(hostile)]))])})
  const ready = Uint8Array.from(${JSON.stringify([...Reports.ready()])})
  const lie = Uint8Array.from(${JSON.stringify([...frameOf(99)])})
  let seed = 1
  const below = (n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor((seed / 4294967296) * n)
  }
  const mutated = () => {
    const frame = Uint8Array.from(valid[below(valid.length)])
    for (let changes = below(3); changes > 0; changes--) frame[4 + below(frame.length - 4)] = below(256)
    return frame
  }
  const welcome = (ref) => {
    const id = new TextEncoder().encode("s" + ref)
    const frame = new Uint8Array(5 + 4 + 1 + 4 + 4 + id.length)
    const view = new DataView(frame.buffer)
    view.setUint32(0, frame.length - 4, true)
    frame[4] = ${FromRoom.joined}
    view.setUint32(5, ref, true)
    view.setUint32(14, id.length, true)
    frame.set(id, 18)
    return frame
  }
  const ways = {
    lies: (send) => { for (let at = 0; at < ${LiesPerLife}; at++) send(mutated()); send(lie) },
    floods: (send) => { const changed = valid[9]; for (;;) { for (let at = 0; at < 1000; at++) send(changed); if (below(50) === 0) break } send(lie) },
    halves: (send) => { send(Uint8Array.from([200, 0, 0, 0, 45, 1])); setTimeout(() => send(new Uint8Array(300)), 50) },
    claims: (send) => send(Uint8Array.from([255, 255, 255, 255, 38])),
    shouts: (send) => { for (let at = 0; at < 5000; at++) console.log("x".repeat(below(20000))); send(lie) },
    throws: () => { setTimeout(() => { throw new Error("hostile on purpose") }, 0) },
    rejects: (send) => { for (let at = 0; at < 100; at++) Promise.reject(new Error("hostile on purpose")); setTimeout(() => send(lie), 20) },
    silent: () => {}
  }
  exports.connect = (port) => {
    if (port.mode === "describe") { port.send(described); return () => {} }
    let way = "lies"
    return (kind, payload) => {
      if (kind === ${ToRoom.start}) {
        const text = new TextDecoder().decode(payload)
        const [, name, number] = /"roomId":"([a-z]+)-(\\d+)"/.exec(text)
        way = name
        seed = Number(number) + 1
        port.send(ready)
      }
      if (kind !== ${ToRoom.join}) return
      if (way !== "silent") port.send(welcome(new DataView(payload.buffer, payload.byteOffset).getUint32(0, true)))
      ways[way]((frame) => port.send(frame))
    }
  }
`

/** A deployment whose rooms are described as others are, and then say what they like. */
export const hostileBundle = (): Uint8Array => new TextEncoder().encode(source)
