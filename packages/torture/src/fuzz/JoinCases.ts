import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { KiB } from "@atrium/wire/limits/Limit"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

import type { CaseContext } from "./CaseContext.ts"
import { allFrames, hostileMsgpack } from "./ClientCorpus.ts"
import { mutate } from "./Mutation.ts"
import { socketCase, type SocketCase } from "./SocketCase.ts"
import { arrayOf, type Wire } from "./Wire.ts"

const isText = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "string"

/** Whether docs/protocol.md calls these bytes a hello. */
const isHello = (bytes: Uint8Array): boolean => {
  const frame = bytes.length > ConnectionLimits.helloBytes.max ? null : arrayOf(bytes)
  if (frame === null || frame[0] !== ClientFrame.hello || typeof frame[1] !== "string") return false
  return frame.slice(2, 5).every(isText)
}

/** Codes with which a hello may be refused whose fields can be anything. */
const helloRefusals = [4401, 4403, 4404, 4420]

const settled = (wire: Wire): boolean =>
  wire.closeCode !== null || wire.frames.some(([type]) => type === ServerFrame.welcome)

/** A hello with these fields, and the close that it must bring. */
const refusedWith = (
  name: string,
  code: number,
  hello: (context: CaseContext) => {
    readonly fields: ReadonlyArray<unknown>
    readonly room?: string
  }
): SocketCase =>
  socketCase(`join: ${name}`, 1, async (context) => {
    const { fields, room = "fuzzed-0" } = hello(context)
    const wire = await context.open(room)
    context.sent("hello")
    wire.send(packValue([ClientFrame.hello, ...fields]))
    await context.closes(wire, code)
  })

/** Everything that can go wrong before the welcome. */
export const joinCases: ReadonlyArray<SocketCase> = [
  socketCase("join: another first frame", 6, async (context) => {
    const wire = await context.open("fuzzed-0")
    const { chance } = context
    const frame = chance.one(2) ? chance.pick(allFrames) : hostileMsgpack(chance)
    context.sent("before hello")
    wire.send(frame)
    if (isHello(frame)) return
    await context.closes(wire, 1003)
  }),
  socketCase("join: mutated hello", 10, async (context) => {
    const { chance, stage } = context
    const wire = await context.open("fuzzed-0")
    const valid = packValue([ClientFrame.hello, stage.token, "fuzzed", "0", null, { a: [1] }])
    const frame = mutate(chance, valid, allFrames)
    context.sent("hello")
    wire.send(frame)
    if (!isHello(frame)) return context.closes(wire, 1003)
    await context.expect(wire, "an answer to a hello", () => settled(wire))
    if (wire.closeCode !== null) await context.closes(wire, ...helloRefusals)
  }),
  socketCase("join: hello twice", 3, async (context) => {
    const { chance, stage } = context
    const wire = chance.one(2) ? await context.join("fuzzed") : await context.open("fuzzed-1")
    const hello = packValue([ClientFrame.hello, stage.token, "fuzzed"])
    context.sent("hello", 2)
    wire.send(hello)
    wire.send(hello)
    await context.closes(wire, 1003)
  }),
  socketCase("join: frames before the welcome", 3, async (context) => {
    const { chance, stage } = context
    const wire = await context.open("fuzzed-2")
    context.sent("hello")
    wire.send(packValue([ClientFrame.hello, stage.token, "fuzzed"]))
    context.sent("before welcome")
    wire.send(chance.pick(allFrames))
    await context.closes(wire, 1003)
  }),
  socketCase("join: gone before the welcome", 3, async (context) => {
    const wire = await context.open("fuzzed-1")
    context.sent("hello")
    wire.send(packValue([ClientFrame.hello, context.stage.token, "fuzzed"]))
    await wire.until(() => settled(wire), context.chance.below(10))
    if (context.chance.one(2)) wire.reset()
  }),
  socketCase("join: a long hello", 1, async (context) => {
    const wire = await context.open("fuzzed-0")
    const options = new Uint8Array(context.chance.pick([63 * KiB, 64 * KiB]))
    const frame = packValue([ClientFrame.hello, context.stage.token, "fuzzed", null, null, options])
    context.sent("hello")
    wire.send(frame)
    if (!isHello(frame)) return context.closes(wire, 1003)
    await context.expect(wire, "the welcome", () => wire.frames[0]?.[0] === ServerFrame.welcome)
  }),
  socketCase("join: no hello", 0, async (context) => {
    const wire = await context.open("fuzzed-0")
    await context.closes(wire, 4408)
  }),
  socketCase("join: full", 1, async (context) => {
    const room = `tight-${context.chance.below(1_000_000)}`
    await context.join("tight", room)
    const second = await context.open(room)
    context.sent("hello")
    second.send(packValue([ClientFrame.hello, context.stage.token, "tight"]))
    await context.closes(second, 4409)
  }),
  refusedWith("a token that is none", 4401, ({ chance }) => ({
    fields: [chance.pick(["", "x", "a.b.c", "eyJ.eyJ.eyJ", "\u0000", "x".repeat(60_000)]), "fuzzed"]
  })),
  refusedWith("a token of another project", 4403, ({ stage }) => ({
    fields: [stage.foreignToken, "fuzzed"]
  })),
  refusedWith("no such room", 4404, ({ stage, chance }) => ({
    fields: [stage.token],
    room: `nowhere-${chance.below(1_000_000)}`
  })),
  refusedWith("no such type", 4404, ({ stage, chance }) => ({
    fields: [stage.token, chance.pick(["nothing", "", "\u0000", "x".repeat(1000), "__proto__"])],
    room: `nowhere-${chance.below(1_000_000)}`
  })),
  refusedWith("no room id", 4404, ({ stage, chance }) => ({
    fields: [stage.token, "fuzzed"],
    room: chance.pick(["a%20b", "%00", "x".repeat(129), "%E2%98%83", "a%2Fb"])
  })),
  refusedWith("another type than the room's", 4404, ({ stage }) => ({
    fields: [stage.token, "tight"]
  })),
  refusedWith("the room refuses", 4420, ({ stage }) => ({
    fields: [stage.token, "fuzzed", null, null, "refuse me"]
  }))
]
