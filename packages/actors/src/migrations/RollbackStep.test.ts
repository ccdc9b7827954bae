import { ProjectId } from "@atrium/domain/shared/Ids"
import { defineSchema, type Fields, s } from "@atrium/sdk/schema"
import { describe, expect, it } from "vitest"

import type { DeploymentRow } from "../deployments/DeploymentRow.ts"
import { deployedOf, deploymentOf } from "../deployments/testing/DeploymentFixtures.ts"
import { playersOf } from "./PlayerSchema.ts"
import { judgeRollback, namedVersions } from "./RollbackStep.ts"
import type { Carried, StepOfVersion, VersionStep } from "./VersionStep.ts"

const roomOf = (fields: Fields, player: Fields = {}) =>
  deployedOf(defineSchema({ type: "duel", singletons: { it: fields }, player }))

const plain: VersionStep = { strategy: "migrate", discards: false, rooms: {}, players: [] }

/** Version 2 adds a field, 3 and 5 change it by code, 4 changes nothing. */
const schemas = [
  roomOf({ a: s.u8() }),
  roomOf({ a: s.u8(), b: s.u8() }),
  roomOf({ a: s.u8(), b: s.string(4) }),
  roomOf({ a: s.u8(), b: s.string(4) }),
  roomOf({ a: s.u8(), c: s.f64() })
]
const carried = (from: number, to: number, back: boolean): Carried => ({
  type: "duel",
  from: schemas[from - 1]?.schemaHash ?? "",
  to: schemas[to - 1]?.schemaHash ?? "",
  code: true,
  back
})
const rows = (back: boolean): ReadonlyArray<DeploymentRow> =>
  schemas.map((schema, at) => {
    const row = deploymentOf(at + 1, [schema])
    if (row.version === 3) return { ...row, migrations: [carried(2, 3, back)] }
    return row.version === 5 ? { ...row, migrations: [carried(4, 5, back)] } : row
  })
const steps: ReadonlyArray<StepOfVersion> = [
  { version: 3, step: { ...plain, rooms: { duel: [{ from: 2, to: 3 }] } } },
  { version: 5, step: { ...plain, rooms: { duel: [{ from: 4, to: 5 }] } } }
]

const judged = (
  to: number,
  {
    all = rows(true),
    its = steps,
    preRelease = false,
    seen = all.length
  }: {
    readonly all?: ReadonlyArray<DeploymentRow>
    readonly its?: ReadonlyArray<StepOfVersion>
    readonly preRelease?: boolean
    readonly seen?: number
  } = {}
) => {
  const target = all[to - 1]
  const current = all.at(-1)
  if (target === undefined || current === undefined) throw new Error("no such version")
  const byVersion = new Map(all.map((row) => [row.version, row]))
  const rolling = { target, seen, steps: its, rows: byVersion }
  return judgeRollback(rolling, { current, next: all.length + 1, preRelease })
}

describe("a rollback over migrations", () => {
  it("[C-708] goes back by the ways back, the newest first", () => {
    const hops = (...duel: VersionStep["rooms"][string]) => ({
      _tag: "Taken",
      step: { ...plain, rooms: { duel } }
    })
    expect(judged(4)).toEqual(hops({ from: 5, to: 4 }))
    expect(judged(3)).toEqual(hops({ from: 5, to: 4 }))
    expect(judged(2)).toEqual(hops({ from: 5, to: 4 }, { from: 3, to: 2 }))
  })

  it("[C-708] is refused with the version that has no way back", () => {
    const [, , third, ...others] = rows(true)
    const all = [
      ...rows(true).slice(0, 2),
      { ...third, migrations: [carried(2, 3, false)] },
      ...others
    ]
    // A row of the same list.
    const mixed = all as ReadonlyArray<DeploymentRow>
    expect(judged(4, { all: mixed })?._tag).toBe("Taken")
    expect(judged(2, { all: mixed })).toEqual({
      _tag: "Refused",
      because: { _tag: "NoWayBack", why: "the migration to version 3 has no way back for duel" }
    })
  })

  it("[C-685] goes back by name, too, where the newer version only took more", () => {
    const duel = [
      { from: 5, to: 4 },
      { from: 3, to: 2 }
    ]
    expect(judged(1)).toEqual({ _tag: "Taken", step: { ...plain, rooms: { duel } } })
    expect(judged(1, { all: rows(true).slice(0, 2), its: [] })).toBeNull()
  })

  /** The second version gave up what the first one had stored. */
  const anew = {
    all: [deploymentOf(1, [roomOf({ a: s.u8() })]), deploymentOf(2, [roomOf({ b: s.u8() })])],
    its: [{ version: 2, step: { ...plain, discards: true } }]
  }

  it("[C-350] is refused where nothing leads back", () => {
    expect(judged(1, anew)).toEqual({
      _tag: "Refused",
      because: {
        _tag: "Breaks",
        types: [{ type: "duel", difference: "singletons.it.b was removed" }]
      }
    })
  })

  it("[C-34] in the project dev is never refused for its schema", () => {
    const inDev = (all: ReadonlyArray<DeploymentRow>): ReadonlyArray<DeploymentRow> =>
      all.map((row) => ({ ...row, projectId: ProjectId.make("dev") }))
    expect(judged(1, { ...anew, all: inDev(anew.all) })).toBeNull()
    expect(judged(1, { ...anew, all: inDev(anew.all), preRelease: true })).toBeNull()
    expect(judged(2, { all: inDev(rows(false)) })).toBeNull()
    expect(judged(4, { all: inDev(rows(true)) })).toMatchObject({ step: { discards: false } })
  })

  it("[C-701] in its preRelease rooms start anew instead", () => {
    const taken = { _tag: "Taken", step: { ...plain, discards: true } }
    expect(judged(1, { ...anew, preRelease: true })).toEqual(taken)
    expect(judged(2, { preRelease: true, all: rows(false) })).toEqual(taken)
    expect(judged(4, { preRelease: true })).toMatchObject({ step: { discards: false } })
  })

  it("[C-708] of a rollback goes forth again, and nothing is lost on the way", () => {
    const back = { ...deploymentOf(6, rows(true)[1]?.roomTypes ?? []), rollbackOf: 2 }
    const duel = [
      { from: 5, to: 4 },
      { from: 3, to: 2 }
    ]
    const its = [...steps, { version: 6, step: { ...plain, rooms: { duel } } }]
    const all = [...rows(true), back]
    expect(judged(5, { all, its })).toEqual({
      _tag: "Taken",
      step: {
        ...plain,
        rooms: {
          duel: [
            { from: 2, to: 3 },
            { from: 4, to: 5 }
          ]
        }
      }
    })
    // Back to where the rollback went is a way that leads nowhere.
    expect(judged(2, { all, its })).toBeNull()
  })

  it("[C-57] is judged anew when another version was made meanwhile", () => {
    expect(judged(4, { seen: 4 })).toEqual({ _tag: "Refused", because: { _tag: "Raced" } })
  })

  it("[C-105] of a relay project needs nothing", () => {
    const all = rows(true).map((row) => ({ ...row, relay: true }))
    expect(judged(1, { all })).toBeNull()
  })

  it("[C-708] reads the versions that the changes between name, and no others", () => {
    expect(namedVersions(steps, 2)).toEqual(new Set([2, 3, 4, 5]))
    expect(namedVersions(steps, 3)).toEqual(new Set([4, 5]))
    expect(namedVersions(steps, 5)).toEqual(new Set())
  })
})

describe("the fields of players", () => {
  const types = [roomOf({}, { wins: s.u8() }), roomOf({}, { score: s.u8() })]
  const [one, two] = types.map((type, at) => deploymentOf(at + 1, [type]))
  const its = [{ version: 2, step: { ...plain, players: [{ from: 1, to: 2 }] } }]
  const withBack = (back: boolean): ReadonlyArray<DeploymentRow> => {
    if (one === undefined || two === undefined) throw new Error("two versions")
    const room = { type: "duel", code: false, back: false }
    const players = { type: null, code: true, back }
    const [from, to] = [one.roomTypes[0]?.schemaHash ?? "", two.roomTypes[0]?.schemaHash ?? ""]
    const migrations = [
      { ...room, from, to },
      { ...players, from: playersOf(one).hash, to: playersOf(two).hash }
    ]
    return [one, { ...two, migrations }]
  }

  it("[C-708] go back by a way of their own", () => {
    expect(judged(1, { all: withBack(true), its })).toEqual({
      _tag: "Taken",
      step: { ...plain, players: [{ from: 2, to: 1 }] }
    })
    expect(judged(1, { all: withBack(false), its })).toMatchObject({
      because: { why: "the migration to version 2 has no way back for players" }
    })
  })
})
