import type { Check } from "../check/Check.ts"
import { same } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import { roomStage, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"

/** Awake rooms of a type, each with a client. */
const wakeRooms = async (stage: RoomStage, type: string, count: number): Promise<void> => {
  for (let room = 0; room < count; room++) await stage.client(`${type}-${room}`, { type })
}

/** How many rooms each of the project's servers holds, the fullest first. */
const roomsPerServer = async (trial: Trial, stage: RoomStage): Promise<ReadonlyArray<number>> => {
  const servers = await trial.control.servers(stage.project.id)
  return servers.map(({ rooms }) => rooms.length).toSorted((one, other) => other - one)
}

const classChecks: ReadonlyArray<Check> = (
  [
    [["budget.standard.awake", "budget.full-adds-server"], "probe"],
    [["budget.large.awake"], "large"],
    [["budget.xlarge.awake", "overview.server-per-project"], "xlarge"]
  ] as const
).map(([ids, type]): Check => ({
  ids,
  needs: ["servers"],
  timeoutMs: 90_000,
  title: "a server holds so many awake rooms of a class; one more is on another server",
  run: async (trial) => {
    const stage = await roomStage(trial)
    const { accept, refuse } = rowOf("boundary", ids[0])
    await wakeRooms(stage, type, accept)
    same("at the limit", await roomsPerServer(trial, stage), [accept])
    await stage.client("one-more", { type })
    same("past it", await roomsPerServer(trial, stage), [accept, refuse - accept])
  }
}))

/** How many rooms of which size a server holds. */
export const budgetChecks: ReadonlyArray<Check> = [
  ...classChecks,
  {
    ids: ["budget.per-server"],
    needs: ["servers"],
    timeoutMs: 60_000,
    title: "each server has the whole budget",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await wakeRooms(stage, "xlarge", 7)
      same("rooms of each", await roomsPerServer(trial, stage), [3, 3, 1])
    }
  },
  {
    ids: ["budget.mixed-fractions"],
    needs: ["servers"],
    timeoutMs: 60_000,
    title: "rooms of all classes share one budget, each by its fraction",
    run: async (trial) => {
      const stage = await roomStage(trial)
      // 2/3 + 2/8 + 1/20 = 0.967: another twentieth does not fit.
      await wakeRooms(stage, "xlarge", 2)
      await wakeRooms(stage, "large", 2)
      await wakeRooms(stage, "probe", 1)
      same("0.967 of a server", await roomsPerServer(trial, stage), [5])
      await stage.client("one-more")
      same("1.017 of it", await roomsPerServer(trial, stage), [5, 1])
    }
  },
  {
    ids: ["budget.asleep-free"],
    needs: ["servers"],
    timeoutMs: 60_000,
    title: "a room that sleeps leaves its place to another",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("earlier", 1, { type: "xlarge" })
      await wakeRooms(stage, "xlarge", 2)
      const third = await stage.client("third", { type: "xlarge" })
      same("full", await roomsPerServer(trial, stage), [3])
      await third.leave()
      await stage.asleep("third")
      await stage.client("earlier", { type: "xlarge" })
      same("full again", await roomsPerServer(trial, stage), [3])
    }
  },
  {
    ids: ["budget.default-standard"],
    title: "a type that declares no class is standard",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.client("plain")
      const { class: named } = await stage.detail("plain")
      trial.chosen("D-15", () => same("its class", named, "standard"))
    }
  }
]
