import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import { encodeSnapshotFile } from "@atrium/runtime/room/SnapshotFile"
import { makeRoomState, type RoomState } from "@atrium/wire/codec/RoomState"
import {
  type AnyRoomSchema,
  defineSchema,
  describe as describeSchema,
  s
} from "@atrium/wire/schema"
import { describe, expect, it } from "vitest"

import { type DiffSide, stateDiff } from "./StateDiff.ts"

const before = defineSchema({
  type: "t",
  singletons: { match: { round: s.u8(), note: s.string(200) } },
  entities: { units: { hp: s.u8(), at: s.struct({ x: s.u8() }) } }
})
const after = defineSchema({
  type: "t",
  singletons: { match: { round: s.u8() } },
  entities: { units: { health: s.f32(), at: s.struct({ x: s.u8() }) } }
})

const sideOf = <S extends AnyRoomSchema>(
  schema: S,
  play: (state: RoomState<S>["state"]) => void
): DiffSide => {
  const room = makeRoomState(schema)
  play(room.state)
  const bytes = encodeSnapshotFile({
    state: room.encodeSnapshot(),
    sessions: [],
    tick: 0,
    patches: 0,
    random: [1, 2, 3, 4],
    lobby: { isPublic: false, started: false }
  })
  return { bytes, schema: describeSchema(schema) }
}

describe("the changes from one state to another", () => {
  it("[C-712] are lines with the paths of the fields that differ", () => {
    const old = sideOf(before, ({ match, units }) => {
      match.round = 3
      units.add({ hp: 50, at: { x: 1 } })
      units.add({ hp: 7 })
    })
    const now = sideOf(after, ({ match, units }) => {
      match.round = 4
      units.add({ health: 0.5, at: { x: 1 } })
    })
    expect(stateDiff(old, now)).toEqual([
      "- match.round: 3",
      "+ match.round: 4",
      '- match.note: ""',
      "- units[1].hp: 50",
      "- units[2].hp: 7",
      '- units[2].at: {"x":0}',
      "+ units[1].health: 0.5"
    ])
    expect(stateDiff(now, now)).toEqual([])
  })

  it("[C-712] are cut at their number of lines, and values at their length", () => {
    const { max } = MigrationLimits.rehearsalDiffLines
    const withUnits = (count: number) =>
      sideOf(after, ({ units }) => {
        for (let at = 0; at < count; at++) units.add({ health: 1 })
      })
    const none = withUnits(0)
    expect(stateDiff(none, withUnits(max / 2))).toHaveLength(max)
    const long = stateDiff(none, withUnits(max / 2 + 1))
    expect(long).toHaveLength(max + 1)
    expect(long?.at(-1)).toBe("  … and 2 lines more")
    const noted = sideOf(before, ({ match }) => {
      match.note = "x".repeat(200)
    })
    expect(
      stateDiff(
        sideOf(before, () => {}),
        noted
      )
    ).toEqual(['- match.note: ""', `+ match.note: "${"x".repeat(79)}…`])
  })

  it("[C-712] are not shown for a state past the limit or for malformed bytes", () => {
    const { max } = MigrationLimits.rehearsalDiffBytes
    const side = sideOf(after, () => {})
    expect(stateDiff(side, { ...side, bytes: new Uint8Array(max + 1) })).toBeNull()
    expect(stateDiff(side, { ...side, bytes: Uint8Array.of(1, 2, 3) })).toBeNull()
  })
})
