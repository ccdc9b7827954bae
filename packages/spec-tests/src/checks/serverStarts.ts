import { isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { same, Untestable } from "../check/Expect.ts"
import { roomStage, stateOf, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"

interface Start {
  readonly boot: unknown
  readonly vmMemMib: unknown
  readonly connectionsPerIpPerMin: unknown
}

/** How the project's servers have been started so far. */
const startsOf = async (trial: Trial, stage: RoomStage): Promise<ReadonlyArray<Start>> => {
  const { serverStarts } = await trial.control.metrics(stage.project.id)
  if (!Array.isArray(serverStarts)) throw new Untestable("the metrics show no starts of servers")
  return serverStarts.map((start) => {
    const { boot, vmMemMib, connectionsPerIpPerMin } = Object(start)
    return { boot, vmMemMib, connectionsPerIpPerMin }
  })
}

const set = async (stage: RoomStage, settings: object): Promise<void> => {
  const { name } = stage.project
  isSuccess(await stage.project.ask("", { method: "PATCH", body: { name, ...settings } }))
}

/** What a project sets for its servers, and when they take it. */
export const serverStartChecks: ReadonlyArray<Check> = [
  {
    ids: ["project.connections.env", "project.connections.cold-boot"],
    needs: ["metrics"],
    title: "connections per address reach the server at its next start, which is a cold boot",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("room")
      await client.call("addDurably", { by: 7 })
      const [first] = await startsOf(trial, stage)
      same("at first", first?.connectionsPerIpPerMin, 120)
      await set(stage, { connectionsPerIpPerMin: 77 })
      same("while it runs", (await startsOf(trial, stage)).length, 1)
      await client.leave()
      await stage.asleep("room")
      const back = await stage.client("room")
      const starts = await startsOf(trial, stage)
      same("at its next start", starts.at(-1)?.connectionsPerIpPerMin, 77)
      same("which is cold", starts.at(-1)?.boot, "cold")
      const { value, created } = await stateOf(back)
      same("the room", { value, created }, { value: 7, created: 1 })
      await set(stage, { connectionsPerIpPerMin: null })
      await back.leave()
      await stage.asleep("room")
      await stage.client("room")
      same("cleared", (await startsOf(trial, stage)).at(-1)?.connectionsPerIpPerMin, 120)
    }
  },
  {
    ids: ["project.vmMem.cold-boot", "project.vmMem.next-start", "project.vmMem.auto-128"],
    needs: ["fixture"],
    title: "a server has 128 MiB, and what the project sets from its next start on, a cold boot",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("room")
      await client.call("addDurably", { by: 7 })
      same("automatic", (await startsOf(trial, stage))[0]?.vmMemMib, 128)
      await set(stage, { vmMemMib: 512 })
      const another = await stage.client("another")
      same("while it runs", (await startsOf(trial, stage)).length, 1)
      await another.leave()
      await client.leave()
      await stage.asleep("another")
      await stage.asleep("room")
      same("its state", (await stateOf(await stage.client("room"))).value, 7)
      const starts = await startsOf(trial, stage)
      const { boot, vmMemMib } = Object(starts.at(-1))
      same("the next start", { boot, vmMemMib }, { boot: "cold", vmMemMib: 512 })
    }
  }
]
