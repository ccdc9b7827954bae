import { FrameHeaderBytes } from "@atrium/runtime/host/HostFrames"
import { Reports } from "@atrium/runtime/host/RoomReports"
import { defineSchema, describe as describeSchema, s, schemaHash } from "@atrium/wire/schema"
import { describeHidden, withHidden } from "@atrium/wire/schema/HiddenState"
import fc from "fast-check"
import { expect, test } from "vitest"

import { describeBundle, type Description } from "./DescribeBundle.ts"

/** What the service makes of a process that says this. */
const descriptionOf = (said: unknown): Promise<Description> =>
  describeBundle(
    {
      mapStack: (stack) => stack,
      spawn: (owner) => ({
        pid: 1,
        sent: 0,
        heldBytes: 0,
        unreadBytes: 0,
        sendData: () => {},
        poll: () => {},
        send: () => {
          const frame = Buffer.from(Reports.described(JSON.stringify(said)))
          owner.frame(frame[4] ?? 0, frame.subarray(FrameHeaderBytes))
        },
        kill: () => queueMicrotask(() => owner.ended({ code: 0, signal: null, errorTail: "" }))
      })
    },
    new Uint8Array(0),
    60_000
  )

const open = defineSchema({ type: "cards", entities: { seats: { bid: s.u8() } } })
const stored = withHidden(open, { entities: { bets: { of: s.ref("seats") } } })
const hidden = describeHidden(open, stored)
const schema = describeSchema(open)

test("[C-721] the hidden shapes of a type are kept beside its public schema, with a hash of both", async () => {
  const said = { withHidden: [{ schema, hidden: { ...hidden, schemaHash: "a lie" } }] }
  expect(await descriptionOf(said)).toMatchObject({
    ok: true,
    relay: false,
    types: [
      {
        type: "cards",
        schema,
        schemaHash: schemaHash(open),
        hidden: {
          singletons: [],
          entities: [{ name: "bets", fields: [{ name: "of", kind: "ref", collection: "seats" }] }],
          schemaHash: schemaHash(stored)
        }
      }
    ]
  })
})

test.each<[string, unknown, string]>([
  ["no lists", { singletons: [] }, "the bundle described no hidden shapes"],
  ["nothing", null, "the bundle described no hidden shapes"],
  [
    "a name of the public schema",
    { singletons: [], entities: schema.entities },
    "entities.seats: the name is there twice"
  ],
  ["what is no shape", { singletons: [3], entities: [] }, "singletons[0]: must be an object"]
])(
  "[C-721] a bundle that describes its hidden state as %s is refused",
  async (_, said, message) => {
    expect(await descriptionOf({ withHidden: [{ schema, hidden: said }] })).toEqual({
      ok: false,
      fault: "bundle",
      message
    })
  }
)

test.each(["type", "from", "to"])(
  "[C-704] a bundle whose migration has a %s that cannot be stored is refused",
  async (name) => {
    const migration = { type: "cards", from: "a", to: "b", code: true, back: false }
    const types = [{ schema }]
    expect(await descriptionOf({ types, migrations: [migration] })).toMatchObject({ ok: true })
    for (const text of ["\0", "\ud800"]) {
      expect(await descriptionOf({ types, migrations: [{ ...migration, [name]: text }] })).toEqual({
        ok: false,
        fault: "bundle",
        message: "the bundle described a malformed migration"
      })
    }
  }
)

test("[C-864] keeps the name of a physics library that can be stored and shown, and drops any other", async () => {
  const arena = defineSchema({ type: "arena", tickHz: 20, physics: { dimensions: 3 } })
  const engineOf = async (engine: unknown) => {
    const said = [{ schema: describeSchema(arena), physics: { engine } }]
    const description = await descriptionOf(said)
    if (!description.ok) throw new Error(description.message)
    return description.types[0]?.physics?.engine
  }
  for (const kept of ["rapier3d 0.21.0", "@dimforge/rapier2d-compat 0.1.0-rc.1", "r".repeat(64)]) {
    expect(await engineOf(kept)).toBe(kept)
  }
  const dropped = ["", "r".repeat(65), "\0", "\ud83d", "\u001b[2J", "rapier3d\n", "räpier", 3, null]
  for (const name of dropped) expect([name, await engineOf(name)]).toEqual([name, undefined])
})

test("[C-970] believes that rooms share a process only where they may", async () => {
  const sharingOf = async (said: object, sharing: unknown) => {
    const description = await descriptionOf([{ ...said, sharing }])
    if (!description.ok) throw new Error(description.message)
    return description.types[0]?.sharing
  }
  const large = describeSchema(defineSchema({ type: "war", class: "large" }))
  const world = describeSchema(
    defineSchema({ type: "world", tickHz: 20, physics: { dimensions: 3 } })
  )
  expect(await sharingOf({ schema }, true)).toBe(true)
  for (const said of [false, "true", 1, undefined]) {
    expect(await sharingOf({ schema }, said)).toBeUndefined()
  }
  expect(await sharingOf({ schema: large }, true)).toBeUndefined()
  expect(await sharingOf({ schema: world }, true)).toBeUndefined()
})

test("[C-721] any report of hidden state is a description or a fault of the bundle", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (one, other) => {
      const shapes = { singletons: one, entities: other }
      for (const said of [one, shapes, { singletons: [one], entities: [other] }]) {
        const description = await descriptionOf({ withHidden: [{ schema, hidden: said }] })
        if (description.ok) expect(description.types[0]?.schemaHash).toBe(schemaHash(open))
        else expect(description.fault).toBe("bundle")
      }
    }),
    { numRuns: 60 }
  )
})
