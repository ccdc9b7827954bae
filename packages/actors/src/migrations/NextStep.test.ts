import { defineSchema, s } from "@atrium/sdk/schema"
import { describeHidden, withHidden } from "@atrium/wire/schema/HiddenState"
import { describe, expect, it } from "vitest"

import type { DeployedType } from "../deployments/DeployedType.ts"
import { deployedOf, deploymentOf } from "../deployments/testing/DeploymentFixtures.ts"
import { type DeployWish, judgeDeploy, type NextVersion } from "./NextStep.ts"
import { playersOf } from "./PlayerSchema.ts"
import { firstBreak, storedBreak } from "./TypeDifferences.ts"

const typeOf = (type: string, fields: Parameters<typeof singletonOf>[0]): DeployedType =>
  deployedOf(singletonOf(fields, type))
const singletonOf = (fields: { readonly [name: string]: ReturnType<typeof s.u8> }, type: string) =>
  defineSchema({ type, singletons: { it: fields } })

const before = deploymentOf(3, [
  typeOf("one", { a: s.u8(), b: s.u8() }),
  typeOf("two", { a: s.u8() })
])
const grown: NextVersion = {
  relay: false,
  migrations: [],
  roomTypes: [...before.roomTypes, typeOf("three", { a: s.u8() })]
}
const broken: NextVersion = {
  relay: false,
  migrations: [],
  roomTypes: [typeOf("one", { a: s.u8() })]
}
const usual: DeployWish = { allowBreaking: false, strategy: "migrate", quarantine: false }

const judged = (
  next: NextVersion,
  more: { preRelease?: boolean; projectId?: string; wish?: DeployWish; current?: null } = {}
) => {
  const { preRelease = false, projectId = "p_0123456789abcdef", wish = usual } = more
  const current = more.current === null ? null : before
  const earlier = { seen: current?.version ?? null, declared: new Map() }
  return judgeDeploy({ projectId, next, earlier, wish }, { current, next: 4, preRelease })
}
const step = { strategy: "migrate", discards: false, rooms: {}, players: [] }

it("[C-09] a first version, and one that only adds, are taken without a step", () => {
  expect(judged(broken, { current: null })).toBeNull()
  expect(judged(grown)).toBeNull()
  expect(judged(grown, { preRelease: true })).toBeNull()
})

it("[C-874] one that is to come after a version is refused after any other one, relay rooms and none included", () => {
  const raced = { _tag: "Refused", because: { _tag: "Raced" } }
  const earlier = { seen: before.version, declared: new Map() }
  const deploying = { projectId: "p_0123456789abcdef", next: grown, earlier, wish: usual }
  const after = (replaces: number, current: typeof before | null) =>
    judgeDeploy({ ...deploying, replaces }, { current, next: 4, preRelease: false })
  expect(after(3, before)).toBeNull()
  expect(after(2, before)).toEqual(raced)
  expect(after(3, null)).toEqual(raced)
  expect(after(2, { ...before, relay: true })).toEqual(raced)
})

it("[C-700] a breaking one is refused with the first difference of each type", () => {
  expect(judged(broken)).toEqual({
    _tag: "Refused",
    because: {
      _tag: "Breaks",
      types: [
        { type: "one", difference: "singletons.it.b was removed" },
        { type: "two", difference: "the room type is gone" }
      ]
    }
  })
})

it("[C-701] in its preRelease a breaking one is taken, and gives up what is stored", () => {
  const taken = { _tag: "Taken", step: { ...step, discards: true } }
  expect(judged(broken, { preRelease: true })).toEqual(taken)
})

it("[C-34] in the project dev a breaking one needs nothing, and says nothing about old state", () => {
  expect(judged(broken, { projectId: "dev" })).toBeNull()
  expect(judged(broken, { projectId: "dev", preRelease: true })).toBeNull()
})

it("[C-105] nothing breaks a relay project", () => {
  const relay = { ...broken, relay: true }
  expect(judged(relay)).toBeNull()
  expect(judged(relay, { preRelease: true })).toBeNull()
  expect(judged(relay, { wish: { ...usual, allowBreaking: true, strategy: "drain" } })).toBeNull()
})

it("[C-703] the version keeps its strategy, with a breaking change and without one", () => {
  const wish: DeployWish = { ...usual, strategy: "drain" }
  expect(judged(grown, { wish })).toEqual({ _tag: "Taken", step: { ...step, strategy: "drain" } })
  expect(judged(broken, { wish, preRelease: true })).toEqual({
    _tag: "Taken",
    step: { ...step, strategy: "drain", discards: true }
  })
})

const hashOf = (deployed: DeployedType | undefined) => deployed?.schemaHash ?? ""
const [oldOne, oldTwo] = before.roomTypes
const newOne = typeOf("one", { a: s.u8() })
const allowed: DeployWish = { ...usual, allowBreaking: true }
const led = { type: "one", from: hashOf(oldOne), to: hashOf(newOne), code: true, back: false }
const removal = { type: "two", from: hashOf(oldTwo), to: null, code: false, back: false }
const versionWith = (...migrations: NextVersion["migrations"]): NextVersion => ({
  ...broken,
  migrations
})

describe("a breaking version with --allow-breaking", () => {
  it("[C-704] goes where its migrations lead over every difference, and keeps the hops", () => {
    expect(judged(versionWith(led, removal), { wish: allowed })).toEqual({
      _tag: "Taken",
      step: { ...step, rooms: { one: [{ from: 3, to: 4 }] } }
    })
    const preRelease = judged(versionWith(led, removal), { wish: allowed, preRelease: true })
    expect(preRelease).toMatchObject({ step: { discards: false } })
    const dev = judged(versionWith(led, removal), { wish: allowed, projectId: "dev" })
    expect(dev).toMatchObject({ step: { rooms: { one: [{ from: 3, to: 4 }] } } })
  })

  it("[C-990] keeps the wish for a quarantine, also where no difference is left", () => {
    const wish: DeployWish = { ...allowed, quarantine: true }
    expect(judged(versionWith(led, removal), { wish })).toMatchObject({
      step: { quarantine: true, rooms: { one: [{ from: 3, to: 4 }] } }
    })
    const same = { ...before, migrations: [led] }
    expect(judged(same, { wish })).toEqual({ _tag: "Taken", step: { ...step, quarantine: true } })
    expect(judged(same, { wish: allowed })).toBeNull()
  })

  it.each([
    ["none", versionWith()],
    ["one without code where state needs it", versionWith({ ...led, code: false }, removal)],
    ["one from another schema", versionWith({ ...led, from: "x" }, removal)],
    ["one to another schema", versionWith({ ...led, to: "x" }, removal)],
    ["one of another type", versionWith({ ...led, type: "two" }, removal)]
  ])("[C-704] is refused with %s, and says which difference is left", (_, next) => {
    const verdict = judged(next, { wish: allowed })
    if (verdict?._tag !== "Refused" || verdict.because._tag !== "Breaks") throw new Error("taken")
    expect(verdict.because.types[0]).toEqual({
      type: "one",
      difference: "singletons.it.b was removed; no migration leads over it"
    })
  })

  it("[C-704] says of a removed room type that no migration names it", () => {
    const verdict = judged(versionWith(led), { wish: allowed })
    expect(verdict).toMatchObject({ because: { types: [{ type: "two" }] } })
  })

  it("[C-704] hidden state is judged with the rest; state that becomes hidden takes the flag alone", () => {
    const [known, hides] = [typeOf("one", { a: s.u8(), b: s.u8() }), typeOf("one", { a: s.u8() })]
    const open = defineSchema({ type: "one" })
    const whole = withHidden(open, { singletons: { it: { a: s.u8(), b: s.u8() } } })
    const parts = describeHidden(open, whole)
    const secret: DeployedType = {
      ...deployedOf(open),
      hidden: JSON.parse(JSON.stringify(parts))
    }
    const went: NextVersion = { ...broken, roomTypes: [secret, typeOf("two", { a: s.u8() })] }
    expect(judged(went)).toMatchObject({ because: { types: [{ type: "one" }] } })
    expect(judged(went, { wish: allowed })).toBeNull()
    expect([firstBreak(known, secret), storedBreak(known, secret)]).toEqual([
      "singletons.it was removed",
      null
    ])
    expect(storedBreak(secret, hides)).toBe("singletons.it.b was removed")
  })

  it("[C-704] a migration that fits changes state also where nothing breaks, if it is allowed", () => {
    const wider = typeOf("one", { a: s.u8(), b: s.u8(), c: s.u8() })
    const roomTypes = [wider, ...before.roomTypes.slice(1)]
    const fits = { ...led, to: hashOf(wider) }
    const next: NextVersion = { relay: false, roomTypes, migrations: [fits] }
    expect(judged(next, { wish: allowed })).toMatchObject({
      step: { rooms: { one: [{ from: 3, to: 4 }] } }
    })
    expect(judged(next)).toMatchObject({
      _tag: "Refused",
      because: { types: [{ type: "one", difference: expect.stringContaining("--allow-breaking") }] }
    })
    expect(judged({ ...next, migrations: [] })).toBeNull()
    expect(judged({ ...next, migrations: [{ ...fits, to: fits.from }] })).toBeNull()
  })
})

describe("the fields of players", () => {
  const playerType = (type: string, player: Parameters<typeof defineSchema>[0]["player"] & {}) =>
    deployedOf(defineSchema({ type, player }))
  const [was, is] = [playerType("one", { wins: s.u8() }), playerType("one", { score: s.u8() })]
  const current = deploymentOf(3, [was, playerType("two", { games: s.u8() })])
  const next: NextVersion = {
    relay: false,
    roomTypes: [is, playerType("two", { games: s.u8() })],
    migrations: [{ type: "one", from: hashOf(was), to: hashOf(is), code: false, back: false }]
  }
  const judge = (version: NextVersion) =>
    judgeDeploy(
      {
        projectId: "p_0123456789abcdef",
        next: version,
        earlier: { seen: 3, declared: new Map() },
        wish: allowed
      },
      { current, next: 4, preRelease: false }
    )

  it("[C-707] need a migration of their own, of all room types together", () => {
    expect(judge(next)).toMatchObject({
      because: {
        types: [{ type: "player", difference: "wins was removed; no migration leads over it" }]
      }
    })
    const players = {
      type: null,
      from: playersOf(current).hash,
      to: playersOf(next).hash,
      code: true,
      back: false
    }
    expect(judge({ ...next, migrations: [...next.migrations, players] })).toEqual({
      _tag: "Taken",
      step: { ...step, players: [{ from: 3, to: 4 }] }
    })
  })
})

describe("a room type that comes back", () => {
  const declared = new Map([
    ["one", { version: 2, deployed: typeOf("one", { a: s.u8(), b: s.u8() }) }]
  ])
  const current = deploymentOf(3, [typeOf("two", { a: s.u8() })])
  const next = { relay: false, roomTypes: [newOne, ...current.roomTypes], migrations: [led] }
  const judge = (version: NextVersion, seen: number, wish = allowed) =>
    judgeDeploy(
      { projectId: "p_0123456789abcdef", next: version, earlier: { seen, declared }, wish },
      { current, next: 4, preRelease: false }
    )

  it("[C-704] is judged by its last declaration: its rooms are stored as that", () => {
    expect(judge({ ...next, migrations: [] }, 3, usual)).toMatchObject({
      because: { types: [{ type: "one", difference: "singletons.it.b was removed" }] }
    })
    expect(judge(next, 3)).toMatchObject({ step: { rooms: { one: [{ from: 2, to: 4 }] } } })
  })

  it("[C-57] is judged anew when another version was made meanwhile", () => {
    expect(judge(next, 2)).toEqual({ _tag: "Refused", because: { _tag: "Raced" } })
  })
})
