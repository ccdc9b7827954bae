import type { Check } from "../check/Check.ts"
import { holds, oneOf, same, Untestable } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import type { Project } from "../trial/Project.ts"
import { backAfter, roomStage, stateOf, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { refusedJoin } from "./roomLimits.ts"

const mib = 1024 * 1024

/** Makes the server that holds a room one near its memory limit, until the check ends or it is told. */
const press = async (trial: Trial, stage: RoomStage, room: string) => {
  const servers = await trial.control.servers(stage.project.id)
  const server = servers.find(({ rooms }) => rooms.includes(room))
  if (server === undefined) throw new Untestable(`no server holds ${room}`)
  const release = () => trial.control.pressure(server.id, "none")
  trial.later(release)
  await trial.control.pressure(server.id, "high")
  return release
}

/** For so long the others must be left alone: a service looks at its memory every second or so. */
const quietMs = 3000

const pressureChecks: ReadonlyArray<Check> = [
  {
    ids: ["memory.server.refuses-new"],
    needs: ["servers", "fixture"],
    timeoutMs: 40_000,
    title: "a server near its memory limit takes no new room, and players in those that it has",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { outcome } = rowOf("error", "memory.server.refuses-new")
      const first = await stage.client("held")
      const release = await press(trial, stage, "held")
      const refusal = await refusedJoin(await stage.socket("new"))
      same("the code", refusal.code, outcome.code)
      trial.chosen("D-24", () => same("the close code", refusal.close, outcome.close))
      const second = await stage.client("held")
      same("the room that it has", await second.call("add", { by: 2 }), { value: 2 })
      holds("who was there stays", first.isOpen(), "closed")
      same("its rooms", await stage.roomIds(), ["held"])
      await release()
      await stage.rejoin("new")
    }
  },
  {
    ids: ["error.room.E_TENANT_WAKING"],
    needs: ["servers", "fixture", "sdk"],
    timeoutMs: 40_000,
    title: "the client library comes in by itself when its server has memory again",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { outcome } = rowOf("error", "error.room.E_TENANT_WAKING")
      await stage.client("held")
      const release = await press(trial, stage, "held")
      same("the code", (await refusedJoin(await stage.socket("new"))).code, outcome.code)
      const fate = trial.fixtures.client({
        project: stage.project.id,
        room: "later",
        type: "probe",
        forMs: 0
      })
      await trial.pause(quietMs)
      await release()
      const { joined, sockets } = await fate
      holds("it has joined", joined, sockets)
      holds("it had been refused before", sockets.length > 1, sockets)
      trial.saw("behaviour clients that come back after E_TENANT_WAKING")
    }
  },
  {
    ids: ["memory.server.empty-sleep-early"],
    needs: ["servers", "clock", "fixture"],
    alone: true,
    timeoutMs: 60_000,
    title:
      "near its memory limit a server puts empty rooms to sleep before their time, and no others",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const [empty, held] = [await stage.client("empty"), await stage.client("held")]
      await empty.call("addDurably", { by: 7 })
      // While time stands still, no room sleeps by itself.
      await trial.control.hold(true)
      trial.later(() => trial.control.hold(false))
      await empty.leave()
      await trial.pause(quietMs)
      const before = await stage.row("empty")
      holds("it is awake", before?.["status"] !== "hibernated", before?.["status"])
      const release = await press(trial, stage, "held")
      await stage.asleep("empty")
      same("the other one", (await stateOf(held)).created, 1)
      same("its welcomes", held.welcomes().length, 1)
      await release()
      await trial.control.hold(false)
      const { value, created } = await stateOf(await stage.rejoin("empty"))
      same("its state", { value, created }, { value: 7, created: 1 })
    }
  },
  {
    ids: ["memory.server.restarts-largest"],
    needs: ["servers", "fixture"],
    timeoutMs: 60_000,
    title:
      "near its memory limit, no room being empty, a server restarts its largest from its snapshot",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const [small, large] = [await stage.client("small"), await stage.client("large")]
      for (const client of [small, large]) await client.call("addDurably", { by: 5 })
      large.say("fill", { bytes: 40 * mib, kind: "buffer" })
      await large.call("add", { by: 1 })
      await trial.pause(quietMs)
      const [before] = large.welcomes()
      if (before === undefined) throw new Untestable("no welcome")
      const release = await press(trial, stage, "large")
      await trial.until("the largest room is started again", async () =>
        !large.isOpen() || large.welcomes().at(-1) !== before ? true : null
      )
      const back = await backAfter(stage, { client: large, room: "large", before })
      await trial.pause(quietMs)
      await release()
      const { value, created } = await stateOf(back)
      same("it did not begin anew", created, 1)
      // The later change may have been stored by itself just before.
      oneOf("the state of its last snapshot", value, [5, 6])
      same("welcomes of the smaller one", small.welcomes().length, 1)
      same("which goes on", await small.call("add", { by: 1 }), { value: 6 })
    }
  }
]

/** The project of a developer's machine, which `dev` deploys to. */
const devProject = (trial: Trial): Project => {
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
const newestType = async (project: Project, olderThan: number): Promise<string | null> => {
  const { json } = await project.ask("/deployments")
  const deployments: ReadonlyArray<unknown> = Array.isArray(json) ? json : []
  if (deployments.length <= olderThan) return null
  const type: unknown = Object(Object(Object(deployments[0])["roomTypes"])[0])["type"]
  if (typeof type !== "string") throw new Untestable("the list of deployments names no room type")
  return type
}

const heapCheck: Check = {
  ids: ["memory.dev-heap"],
  needs: ["fixture"],
  alone: true,
  timeoutMs: 180_000,
  title:
    "a room worker of the project dev has a heap of 256 MB; elsewhere it is the server's to say",
  run: async (trial) => {
    const { heapBytes } = rowOf("statement", "memory.dev-heap").is ?? {}
    const project = devProject(trial)
    // Other code first: what is there already may be no new version.
    const { id } = await trial.project()
    const folder = await trial.cli.project({ kind: "declaring", id })
    const { code } = await trial.cli.runLoggedIn(["deploy", "--project", "dev"], { folder })
    if (code !== 0) throw new Untestable(`no deploy to dev: exit ${code}`)
    const { json } = await project.ask("/deployments")
    const before = Array.isArray(json) ? json.length : 0
    const found: Array<string> = []
    await trial.cli.runLoggedIn(["dev"], {
      folder: await trial.cli.project(),
      forMs: 90_000,
      until: () =>
        trial.until(
          "a deploy to dev",
          async () => {
            const type = await newestType(project, before)
            if (type !== null) found.push(type)
            return type
          },
          90_000
        )
    })
    const room = `heap-${before}`
    const socket = await trial.socket({ project, room })
    await socket.join({ type: found[0] ?? null })
    same("its heap", await trial.control.heap("dev", room), heapBytes)

    const stage = await roomStage(trial)
    await stage.client("standard")
    await stage.client("large", { type: "large" })
    const heapOf = (name: string) => trial.control.heap(stage.project.id, name)
    const [standard, large] = [await heapOf("standard"), await heapOf("large")]
    trial.chosen("T-43", () => {
      holds("a larger class has a larger heap", large > standard, { standard, large })
    })
  }
}

/** What a server does when its memory is nearly used up, and what its rooms' workers have. */
export const serverMemoryChecks: ReadonlyArray<Check> = [...pressureChecks, heapCheck]
