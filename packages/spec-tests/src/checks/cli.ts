import type { Check } from "../check/Check.ts"
import { holds, matches, same } from "../check/Expect.ts"
import { controlPlane } from "../trial/ControlPlane.ts"
import { type Answers, type Arrived, listen, outsideAddress } from "../trial/Listener.ts"
import type { Trial } from "../trial/Trial.ts"
import { cliKeyChecks } from "./cliKeys.ts"
import { cliRoomChecks } from "./cliRooms.ts"

const project = "p_0123456789abcdef"

/** A row of the list, as the specification shows it. */
const row = {
  project,
  roomId: "conformance-room",
  status: "hibernated",
  slot: 0,
  clients: 0,
  lastSeen: "2026-01-01T00:00:00.000Z",
  maxClients: 8,
  backfill: false,
  retention: null,
  retentionOverride: null,
  deletesAt: null
}

const listOfRooms: Answers = () => ({ body: [row] })

/** An API key of the form that the implementation gives them. */
const someKey = async (trial: Trial): Promise<string> =>
  (await (await trial.project()).key("rooms:read")).secret

const namesKeyOnly = (what: string, arrived: ReadonlyArray<Arrived>, key: string): void => {
  same(what, [...new Set(arrived.map(({ authorization }) => authorization))], [`Bearer ${key}`])
}

/** The command-line tool: what it says to the service, and to whom it says the key. */
const destinationChecks: ReadonlyArray<Check> = [
  {
    ids: ["cli.rooms.list", "cli.rooms.env-key"],
    title: "rooms lists by the filters, with the key of SERVICE_API_KEY and never without one",
    timeoutMs: 180_000,
    run: async (trial) => {
      const key = await someKey(trial)
      const { port, arrived } = await listen(trial, { host: "127.0.0.1", answer: listOfRooms })
      const url = `http://localhost:${port}`
      const args = ["rooms", "--idle", "--idle-longer-than", "36h", "--project", project]
      const listed = await trial.cli.run([...args, "--url", url], { env: { SERVICE_API_KEY: key } })
      same("the exit code", listed.code, 0)
      holds("the room is shown", listed.stdout.includes(row.roomId), listed.stdout)
      const [request] = arrived
      const asked = new URL(request?.path ?? "/", url)
      same("the route", `${request?.method} ${asked.pathname}`, `GET /v1/projects/${project}/rooms`)
      same("idle-longer-than", asked.searchParams.get("idle-longer-than"), "36h")
      trial.chosen("T-11", () => same("active", asked.searchParams.get("active"), "false"))
      namesKeyOnly("the credential", arrived, key)
      const refused = await trial.cli.run([...args, "--url", url])
      holds("refused without a key", refused.code > 0, refused.code)
      matches("what it says", refused.stderr, /SERVICE_API_KEY/)
      same("requests without a key", arrived.length, 1)
    }
  },
  {
    ids: ["cli.key-hosts.env-refused", "cli.key-hosts.allowed"],
    title: "the key goes to localhost and to --url, and to no host that only the environment names",
    timeoutMs: 180_000,
    run: async (trial) => {
      const key = await someKey(trial)
      const near = await listen(trial, { host: "127.0.0.1", answer: listOfRooms })
      const host = outsideAddress()
      const far = await listen(trial, { host, answer: listOfRooms })
      const farUrl = `http://${host}:${far.port}`
      const args = ["rooms", "--project", project]
      const env = (url: string) => ({ SERVICE_API_KEY: key, SERVICE_CONTROL_URL: url })

      const toLocalhost = await trial.cli.run(args, { env: env(`http://localhost:${near.port}`) })
      same("the exit code for localhost", toLocalhost.code, 0)
      namesKeyOnly("what came to localhost", near.arrived, key)

      const refused = await trial.cli.run(args, { env: env(farUrl) })
      holds("refused for a host of the environment", refused.code > 0, refused.code)
      matches("what it says", refused.stderr, /SERVICE_CONTROL_URL/)
      same("what came to that host", far.arrived, [])

      const named = [...args, "--url", farUrl]
      const toNamed = await trial.cli.run(named, { env: { SERVICE_API_KEY: key } })
      same("the exit code for --url", toNamed.code, 0)
      namesKeyOnly("what came to the host of --url", far.arrived, key)
    }
  },
  {
    ids: ["cli.key-hosts.allowed", "file.reads.none"],
    title: "the key goes to a control plane that is logged in to; login and whoami read no file",
    timeoutMs: 180_000,
    run: async (trial) => {
      const host = outsideAddress()
      const plane = await listen(trial, { host, answer: controlPlane(trial.login(0), listOfRooms) })
      const url = `http://${host}:${plane.port}`
      const home = await trial.cli.folder()
      const folder = await trial.cli.folder({ "service.json": "{" })
      const whoami = await trial.cli.runLoggedIn(["whoami"], { folder })
      same("the exit code of whoami", whoami.code, 0)
      const login = await trial.cli.run(["login", "--url", url], { home, folder })
      trial.chosen("D-23", () => same("the exit code of login", login.code, 0))
      if (login.code !== 0) return
      const key = await someKey(trial)
      const before = plane.arrived.length
      const env = { SERVICE_API_KEY: key, SERVICE_CONTROL_URL: url }
      const listed = await trial.cli.run(["rooms", "--project", project], { home, env })
      same("the exit code of rooms", listed.code, 0)
      namesKeyOnly("what came to the control plane", plane.arrived.slice(before), key)
    }
  }
]

export const cliChecks: ReadonlyArray<Check> = [
  ...destinationChecks,
  ...cliRoomChecks,
  ...cliKeyChecks
]
