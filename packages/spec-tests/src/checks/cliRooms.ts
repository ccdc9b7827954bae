import type { Check } from "../check/Check.ts"
import { holds, matches, same } from "../check/Expect.ts"
import type { CliRun } from "../trial/CliProbe.ts"
import type { Trial } from "../trial/Trial.ts"

/** `rooms` with the key of a project, where a room is that somebody is in. */
const roomOf = async (trial: Trial) => {
  const project = await trial.project()
  await trial.fixtures.deploy(project, "probe")
  const socket = await trial.socket({ project, room: "arena" })
  await socket.join()
  const key = await project.key("rooms:write")
  const rooms = (...args: ReadonlyArray<string>): Promise<CliRun> =>
    trial.cli.runLoggedIn(["rooms", ...args, "--project", project.id], {
      env: { SERVICE_API_KEY: key.secret }
    })
  const detail = async (): Promise<Readonly<Record<string, unknown>>> =>
    Object((await project.ask("/rooms/arena")).json)
  return { project, socket, rooms, detail }
}

const done = (what: string, { code, stderr }: CliRun): void => {
  holds(`${what} is done`, code === 0, `exit ${code}: ${stderr}`)
}

/** The `rooms` commands on rooms that are there. */
export const cliRoomChecks: ReadonlyArray<Check> = [
  {
    ids: ["cli.rooms.get", "cli.rooms.set-retention"],
    title: "rooms get shows a room, rooms set sets and clears its retention",
    needs: ["fixture"],
    timeoutMs: 180_000,
    run: async (trial) => {
      const { rooms, detail } = await roomOf(trial)
      const set = await rooms("set", "arena", "--retention", "30d")
      done("setting the retention", set)
      same("the override that was set", (await detail())["retentionOverride"], "30d")
      const got = await rooms("get", "arena", "--json")
      done("reading", got)
      const seen = await detail()
      for (const shown of ["arena", String(seen["type"]), "30d"]) {
        holds(`${shown} is shown`, got.stdout.includes(shown), got.stdout)
      }
      trial.chosen("D-41", () => {
        const moving = { lastSeen: null, deletesAt: null, stateBytes: null, saves: null }
        same("--json", { ...jsonOf(got.stdout), ...moving }, { ...seen, ...moving })
      })
      const forever = await rooms("set", "arena", "--retention", "forever")
      trial.chosen("T-09", () => done("setting it to forever", forever))
      const kept = (await detail())["retentionOverride"]
      trial.chosen("T-09", () => same("the override that keeps", kept, "forever"))
      const bad = await rooms("set", "arena", "--retention", "soon")
      holds("no duration is refused", bad.code > 0, bad.code)
      same("the override after it", (await detail())["retentionOverride"], kept)
      const none = await rooms("get", "nobody-was-here")
      const usage = await rooms("get")
      trial.chosen("D-41", () => {
        same("exit codes of a refusal and of a wrong use", [none.code, usage.code], [1, 2])
        same("what they print beside the error", [none.stdout, usage.stdout], ["", ""])
      })
      const cleared = await rooms("set", "arena", "--retention", "clear")
      done("clearing the retention", cleared)
      same("the override that was cleared", (await detail())["retentionOverride"], null)
    }
  },
  {
    ids: ["cli.rooms.saves", "cli.rooms.restore", "cli.rooms.delete-force"],
    title: "rooms saves lists, restore queues, delete refuses an awake room and --force deletes it",
    timeoutMs: 180_000,
    run: async (trial) => {
      const { project, socket, rooms, detail } = await roomOf(trial)
      await socket.call("add", { by: 1 })
      await socket.call("save")
      const [newest]: ReadonlyArray<unknown> = Object(
        (await project.ask("/rooms/arena/saves")).json
      )
      const saveId = String(trial.codecs.saveId(newest))
      const saves = await rooms("saves", "arena")
      done("listing saves", saves)
      holds("the save is shown", saves.stdout.includes(saveId), saves.stdout)

      const refused = await rooms("delete", "arena")
      holds("the delete of an awake room is refused", refused.code > 0, refused.code)
      matches("what it says", refused.stderr, /E_ROOM_IN_USE/)
      same("the room is there", (await detail())["roomId"], "arena")

      const forced = await rooms("delete", "arena", "--force")
      done("the forced delete", forced)
      same("the close code of the client", (await socket.closed).code, 4291)
      const gone = await project.ask("/rooms/arena")
      same("the room is gone", gone.status, 404)

      const again = await trial.socket({ project, room: "arena" })
      await again.join()
      await again.call("add", { by: 2 })
      await again.call("save")
      await again.call("add", { by: 5 })
      const [kept]: ReadonlyArray<unknown> = Object((await project.ask("/rooms/arena/saves")).json)
      const restore = await rooms("restore", "arena", String(trial.codecs.saveId(kept)))
      done("the restore", restore)
      await again.closed
      await trial.until("the restored state", async () => {
        const reader = await trial.socket({ project, room: "arena" })
        const joined = await reader.join().catch(() => null)
        if (joined === null) return null
        const state = Object(await reader.call("read"))
        await reader.leave()
        return state["value"] === 2 ? true : null
      })
    }
  }
]

const jsonOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
