import type { Check, ProbeOf } from "../check/Check.ts"
import { holds, same, Untestable } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import { roomStage, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { refusedJoin } from "./roomLimits.ts"

/** Awake rooms of a type, each with a client. */
const wakeRooms = async (stage: RoomStage, type: string, count: number): Promise<void> => {
  for (let room = 0; room < count; room++) await stage.client(`${type}-${room}`, { type })
}

/** How many rooms each of the project's servers holds, the fullest first. */
const roomsPerServer = async (trial: Trial, stage: RoomStage): Promise<ReadonlyArray<number>> => {
  const servers = await trial.control.servers(stage.project.id)
  return servers.map(({ rooms }) => rooms.length).toSorted((one, other) => other - one)
}

const fillsAServer =
  (type: string): ProbeOf =>
  (id) => ({
    needs: ["servers"],
    timeoutMs: 90_000,
    title: "a server holds so many awake rooms of a class; one more is on another server",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { accept, refuse } = rowOf("boundary", id)
      await wakeRooms(stage, type, accept)
      same("at the limit", await roomsPerServer(trial, stage), [accept])
      await stage.client("one-more", { type })
      same("past it", await roomsPerServer(trial, stage), [accept, refuse - accept])
      const other = await roomStage(trial)
      await other.client("one")
      const idsOf = async ({ project }: RoomStage) =>
        (await trial.control.servers(project.id)).map(({ id }) => id)
      const [own, others] = [await idsOf(stage), await idsOf(other)]
      same(
        "servers of another project",
        others.filter((id) => own.includes(id)),
        []
      )
      same("which is one", others.length, 1)
    }
  })

const classChecks: ReadonlyArray<Check> = [
  {
    ids: ["budget.standard.awake", "budget.full-adds-server"],
    ...fillsAServer("probe")("budget.standard.awake")
  },
  { ids: ["budget.large.awake"], ...fillsAServer("large")("budget.large.awake") },
  {
    ids: ["budget.xlarge.awake", "overview.server-per-project"],
    ...fillsAServer("xlarge")("budget.xlarge.awake")
  }
]

/** What the last start of the project's server says that its rooms may take, in MiB. */
const roomsMibOf = async (trial: Trial, fixture: "probe" | "elsewhere"): Promise<number> => {
  const stage = await roomStage(trial, fixture)
  await stage.client("room")
  const { serverStarts } = await trial.control.metrics(stage.project.id)
  const starts: ReadonlyArray<unknown> = Array.isArray(serverStarts) ? serverStarts : []
  const { roomsMib }: Readonly<Record<string, unknown>> = Object(starts.at(-1))
  if (typeof roomsMib === "number") return roomsMib
  throw new Untestable("the metrics show no memory for the rooms of a server that started")
}

/** A project on the free plan, and the refusal of one room more than it may have awake. */
const onFreePlan = async (
  trial: Trial,
  most: { readonly type: string; readonly rooms: number }
) => {
  const stage = await roomStage(trial)
  await trial.control.plan(stage.project.id, "free")
  await wakeRooms(stage, most.type, most.rooms)
  const refusal = await refusedJoin(await stage.socket("one-more"), { type: most.type })
  const { outcome } = rowOf("boundary", "limits.free.awake")
  trial.chosen("D-46", () => {
    same("the code", refusal.code, outcome.code)
    same("the close code", refusal.close, outcome.close)
  })
  same("rooms of each server", await roomsPerServer(trial, stage), [most.rooms])
  return stage
}

const freeChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.free.awake", "budget.free-stays-one"],
    needs: ["servers"],
    timeoutMs: 90_000,
    title: "the free plan has 10 rooms awake on one server; one that sleeps leaves its place",
    run: async (trial) => {
      const { accept } = rowOf("boundary", "limits.free.awake")
      const stage = await onFreePlan(trial, { type: "probe", rooms: accept })
      const again = await stage.client("probe-0")
      same("who joins a room that is awake", await again.call("add", { by: 1 }), { value: 1 })
      await stage.remove("probe-1", "?force=true")
      await stage.client("one-more")
      same("in the place of another", await roomsPerServer(trial, stage), [accept])
    }
  },
  {
    ids: ["limits.free.awake"],
    needs: ["servers"],
    timeoutMs: 60_000,
    title: "the free plan has no more rooms of a class than one server holds",
    run: async (trial) => {
      const { accept } = rowOf("boundary", "budget.xlarge.awake")
      await onFreePlan(trial, { type: "xlarge", rooms: accept })
    }
  }
]

/** How many rooms of which size a server holds. */
export const budgetChecks: ReadonlyArray<Check> = [
  ...classChecks,
  ...freeChecks,
  {
    ids: ["budget.sized-for-largest"],
    title: "a server is larger when the deployment declares a larger class, whatever its rooms are",
    run: async (trial) => {
      const standard = await roomsMibOf(trial, "elsewhere")
      const xlarge = await roomsMibOf(trial, "probe")
      holds("memory for rooms grows with the largest class", xlarge > standard, {
        standard,
        xlarge
      })
      trial.chosen("T-43", () =>
        same(
          "what a full server takes",
          { standard, xlarge },
          { standard: 20 * 64, xlarge: 3 * 1024 }
        )
      )
    }
  },
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
