import type { ProbeOf } from "../../check/Check.ts"
import { same, Untestable, holds } from "../../check/Expect.ts"
import type { Project } from "../../trial/Project.ts"
import { roomStage, type RoomStage, stateOf, withRooms } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { rowOf } from "../Section.ts"
import { restarted } from "./MemoryCeiling.ts"
import { wakeRooms, roomsPerServer } from "./ServerRooms.ts"

export const fillsAServer =
  (type: string): ProbeOf =>
  (id) => ({
    needs: ["servers"],
    timeoutMs: 90_000,
    title: "a server holds so many awake rooms of a class; one more is on another server",
    run: withRooms(async (stage, trial) => {
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
    })
  })

/** Memory for rooms, in MiB, as the last start of the project's server reported it. */
export const roomsMibOf = async (trial: Trial, fixture: "probe" | "elsewhere"): Promise<number> => {
  const stage = await roomStage(trial, fixture)
  await stage.client("room")
  const { serverStarts } = await trial.control.metrics(stage.project.id)
  const starts: ReadonlyArray<unknown> = Array.isArray(serverStarts) ? serverStarts : []
  const { roomsMib }: Readonly<Record<string, unknown>> = Object(starts.at(-1))
  if (typeof roomsMib === "number") return roomsMib
  throw new Untestable("the metrics show no memory for the rooms of a server that started")
}

/** For so long nothing may happen to a room that is within its ceiling. */
const livesForMs = 3000

export const livesBelowItsCeiling =
  (type: string): ProbeOf =>
  (id) => ({
    timeoutMs: 60_000,
    title: "a room lives below the memory of its size class, and is started again above it",
    run: withRooms(async (stage, trial) => {
      const { refuse } = rowOf("boundary", id)
      const client = await stage.client("filled", { type })
      await client.call("addDurably", { by: 5 })
      client.say("fill", { bytes: Math.floor(refuse * 0.8), kind: "buffer" })
      await client.call("read")
      await trial.pause(livesForMs)
      same("welcomes below the ceiling", client.welcomes().length, 1)
      holds("connected below it", client.isOpen(), "closed")
      const bytes = Math.ceil(refuse * 0.25)
      const back = await restarted({ stage, room: "filled", client, bytes })
      const { value, created } = await stateOf(back)
      same("the state above it", { value, created }, { value: 5, created: 1 })
    })
  })

/** The project of a developer's machine, which `dev` deploys to. */
export const devProject = (trial: Trial): Project => {
  const login = trial.login(0)
  return {
    id: "dev",
    name: "dev",
    login,
    key: () => Promise.reject(new Untestable("no keys of the project dev")),
    ask: (path, { bearer = login, ...asked } = {}) =>
      trial.send({
        method: "GET",
        ...asked,
        path: `/v1/projects/dev${path}`,
        ...(bearer === null ? {} : { bearer })
      })
  }
}

/** A room type of the newest deployment, `null` before there is one that is newer than so many. */
export const newestType = async (project: Project, olderThan: number): Promise<string | null> => {
  const { json } = await project.ask("/deployments")
  const deployments: ReadonlyArray<unknown> = Array.isArray(json) ? json : []
  if (deployments.length <= olderThan) return null
  const type: unknown = Object(Object(Object(deployments[0])["roomTypes"])[0])["type"]
  if (typeof type !== "string") throw new Untestable("the list of deployments names no room type")
  return type
}
