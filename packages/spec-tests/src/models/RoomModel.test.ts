import { describe, expect, it } from "vitest"

import { killCommand, killStory, roomCommands, roomModel, roomStory } from "./RoomModel.ts"
import { runModel, runStory } from "./RunModel.ts"
import { FakeRooms, type RoomFault } from "./testing/FakeRooms.ts"

const run = (fault: RoomFault, seed = 1) =>
  runModel(roomModel, {
    commands: [...roomCommands, killCommand],
    runs: 600,
    commandsMax: 25,
    limitMs: 20_000,
    start: async () => new FakeRooms(fault),
    seed,
    replay: null
  })

describe("the model of rooms", () => {
  it("[state.room.transitions-unlisted] finds nothing in an implementation that is right", async () => {
    expect(await run("none")).toEqual({ runs: 600, failure: null })
  })

  // The last column: so many deeds show it at most, when it is shrunk.
  const faults: ReadonlyArray<readonly [string, RoomFault, number]> = [
    ["state.room.delete-awake-noforce", "an awake room is deleted without force", 2],
    ["rooms.patch.atomic", "a refused patch sets what it can", 2],
    ["rooms.patch.retention.type", "a patch without retention clears it", 3],
    ["rooms.patch.unknown-field", "an unknown field is passed over", 1],
    ["state.room.delete-asleep.saves", "a deleted room keeps its saves", 4],
    ["state.room.force-delete", "a deleted room keeps its override", 5],
    ["D-48", "a woken room begins anew", 4],
    ["state.room.restore.discards-current", "a restore keeps the state", 6],
    ["saves.identified-by-saveId", "a restore takes the oldest", 7],
    ["state.room.restore.others-unchanged", "a restore wakes nobody but loses the others", 7],
    ["state.room.public-started", "a started room is made public", 3],
    ["D-14", "a second client begins the room anew", 3],
    ["rooms.delete.not-found", "what nobody made is deleted", 1]
  ]
  it.each(faults)("[%s] %s: found, and shrunk", async (_, fault, deeds) => {
    for (const seed of [1, 2, 3]) {
      const { failure } = await run(fault, seed)
      expect(
        failure?.story.length,
        `seed ${seed}: ${failure?.story.join("; ")}`
      ).toBeLessThanOrEqual(deeds)
    }
  })

  it.each([
    ["state.room.delete-awake-noforce", roomStory],
    ["state.room.force-delete", killStory]
  ])("[%s] its story finds nothing in an implementation that is right", async (_, story) => {
    expect(await runStory(roomModel, story, async () => new FakeRooms("none"))).toBeNull()
  })

  // The story asks a room that was played: it patches with good bodies, and restores no save that is not there.
  const others: ReadonlySet<RoomFault> = new Set([
    "a refused patch sets what it can",
    "an unknown field is passed over",
    "what nobody made is deleted"
  ])
  it.each(faults.filter(([, fault]) => !others.has(fault)))(
    "[%s] %s: found by the story of rooms",
    async (_, fault) => {
      const found = await runStory(roomModel, roomStory, async () => new FakeRooms(fault))
      expect(found?.mismatch.message).toMatch(/./)
    }
  )
})
