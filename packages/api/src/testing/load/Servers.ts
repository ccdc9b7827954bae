import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

import { metricsText } from "../Runners.ts"
import { call, deploy, makeHome, type RunningService, type ServiceHome } from "../RunningService.ts"
import { joinCredential } from "./JoinCredential.ts"
import type { JoinPlace, Server } from "./RoomSeat.ts"
import { SourceAddresses } from "./SourceAddresses.ts"
import { within } from "./Tasks.ts"

const here = fileURLToPath(new URL(".", import.meta.url))

/** The service with the rooms of the bench. */
export interface BenchService extends Server {
  readonly project: string
  readonly dataDir: string
  readonly url: string
  /** The owner's login. */
  readonly token: string
  /** A join credential, made here and once for each player: it costs the service nothing. */
  credential(player: string): string
  /** Another project of it, with relay rooms. */
  readonly relay: JoinPlace
  /** What the service says of itself, in Prometheus' text format. */
  metrics(): Promise<string>
  /** One of the service's own gauges. */
  gauge(name: string): Promise<number>
}

/** A child of the bench that speaks over its standard output. */
export interface HelperChild {
  readonly pid: number
  /** Its next line. */
  line(): Promise<string>
  write(line: string): void
}

/** Starts the servers of a run, each a process of its own, and ends all of them. */
export class Servers {
  readonly addresses = new SourceAddresses()
  readonly #homes = new Set<ServiceHome>()
  readonly #starting = new Set<Promise<RunningService>>()
  readonly #children = new Set<ChildProcess>()
  #ending = false

  /** A fresh service on its own PostgreSQL. */
  async service(env: Readonly<Record<string, string>> = {}): Promise<BenchService> {
    this.#refuseWhenEnding()
    const home = await makeHome("embedded")
    this.#homes.add(home)
    this.#refuseWhenEnding()
    const starting = home.start({ env })
    this.#starting.add(starting)
    const running = await starting
    const server = { pid: running.pid, port: Number(new URL(running.url).port) }
    const place = async (file: string): Promise<JoinPlace> => ({
      ...server,
      ...(await projectOfBench(running, file))
    })
    const metrics = () => metricsText(running)
    return {
      ...(await place("BenchRooms.ts")),
      relay: await place("RelaySchema.ts"),
      dataDir: home.dataDir,
      url: running.url,
      token: running.token,
      metrics,
      gauge: async (name) => readGauge(await metrics(), name)
    }
  }

  /** A fresh reference of plain `ws`. */
  async raw(): Promise<Server> {
    const child = this.child(import.meta.resolve("./RawServerChild.ts"))
    return { pid: child.pid, port: Number(await child.line()) }
  }

  /** @param url of a program; it must end when its standard input does */
  child(url: string, args: ReadonlyArray<string> = []): HelperChild {
    this.#refuseWhenEnding()
    const child = spawn(process.execPath, [fileURLToPath(url), ...args], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    this.#children.add(child)
    child.once("exit", () => this.#children.delete(child))
    const lines = linesOf(child)
    return {
      pid: child.pid ?? 0,
      line: async () => {
        const { value, done } = await lines.next()
        if (done === true) throw new Error(`${url} ended`)
        return value
      },
      write: (line) => child.stdin.write(`${line}\n`)
    }
  }

  /** Ends what was started since the last call. */
  async stop(): Promise<void> {
    const children = [...this.#children]
    const ended = children.map((child) => once(child, "exit"))
    for (const child of children) child.kill("SIGKILL")
    // A service that is still starting is stopped in order too: its PostgreSQL has to go with it.
    const started = await Promise.allSettled(this.#starting)
    this.#starting.clear()
    const services = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []))
    await Promise.all([...ended, ...services.map((service) => service.stop())])
    await Promise.all([...this.#homes].map((home) => home.remove()))
    this.#homes.clear()
  }

  /** As {@link stop}, and nothing is started any more. */
  end(): Promise<void> {
    this.#ending = true
    return this.stop()
  }

  #refuseWhenEnding(): void {
    if (this.#ending) throw new Error("the bench was asked to end")
  }
}

/** A project with rooms of the bench, and join credentials that are signed with its secret. */
export const projectOfBench = async (
  running: Pick<RunningService, "url" | "token">,
  file: string
): Promise<Pick<JoinPlace, "project" | "credential">> => {
  const { url, token } = running
  const made = await call(url, "/v1/projects", { token, body: { name: "bench" } })
  const project = String(made.body["id"])
  const deployed = await deploy({ url, token, project }, [file], `${here}rooms`)
  if (deployed.status !== 201) throw new Error(`no deployment: ${JSON.stringify(deployed.body)}`)
  const minted = await call(url, `/v1/projects/${project}/jwt-secret`, { token, body: {} })
  const secret = String(minted.body["secret"])
  const credentials = new Map<string, string>()
  return {
    project,
    credential: (player) => {
      const known = credentials.get(player) ?? joinCredential({ project, secret, player })
      credentials.set(player, known)
      return known
    }
  }
}

async function* linesOf(child: ChildProcess): AsyncGenerator<string, void, undefined> {
  let rest = ""
  for await (const chunk of child.stdout ?? []) {
    const lines = (rest + String(chunk)).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
}

const readGauge = (metrics: string, name: string): number => {
  const match = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(metrics)
  if (match?.[1] === undefined) throw new Error(`the service has no gauge ${name}`)
  return Number(match[1])
}

const gaugeWithinMs = 20_000
const lookEveryMs = 20

const falls = (service: BenchService, gauge: string, to: number): Promise<boolean> =>
  within(gaugeWithinMs, async () => (await service.gauge(gauge)) <= to, lookEveryMs)

/** Waits until no room is awake but so many; `false` when that does not happen. */
export const isAsleep = (service: BenchService, butRooms = 0): Promise<boolean> =>
  falls(service, "atrium_rooms_awake", butRooms)

/** Waits until the service has noticed that no client is there; `false` when it does not. */
export const emptied = (service: BenchService): Promise<boolean> =>
  falls(service, "atrium_sockets", 0)
