import { type GivenPostgres, makeGivenPostgres } from "@atrium/api/testing/GivenPostgres"
import { keptPort } from "@atrium/api/testing/KeptPorts"
import { descendantsOf, signalAll } from "@atrium/api/testing/ProcessTree"
import { figure, figures } from "@atrium/api/testing/Runners"
import { makeHome, type RunningService, type ServiceHome } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"

const readyWithinMs = 30_000
const startedAtOnce = 2
const orphanSockets = "atrium_orphan_sockets_total"
/** PostgreSQL takes 100; of these 3 are its superuser's, and some those of runners that were just killed. */
const connectionsMax = 90

/** Whether a runner takes rooms now. */
export const isReady = async (url: string, withinMs = 2_000): Promise<boolean> => {
  const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(withinMs) }).catch(
    () => null
  )
  await answer?.arrayBuffer().catch(() => null)
  return answer?.status === 200
}

interface Slot {
  readonly env: Readonly<Record<string, string>>
  service: RunningService
}

/** Real runner processes on one PostgreSQL; each keeps its ports when it is started again. */
export class Runners {
  readonly database: GivenPostgres
  readonly #home: ServiceHome
  readonly #slots: ReadonlyArray<Slot>
  /** Orphan sockets that runners had counted when they ended. */
  #orphansBefore = 0

  private constructor(database: GivenPostgres, home: ServiceHome, slots: ReadonlyArray<Slot>) {
    this.database = database
    this.#home = home
    this.#slots = slots
  }

  static async start(count: number): Promise<Runners> {
    const database = await makeGivenPostgres()
    const home = await makeHome(database)
    const slots: Array<Slot> = []
    const one = async (): Promise<void> => {
      const [http, peers] = [await keptPort(), await keptPort()]
      const env = {
        PORT: `${http}`,
        ATRIUM_RUNNER_ADDRESS: `127.0.0.1:${peers}`,
        ATRIUM_DATABASE_CONNECTIONS: `${Math.min(20, Math.floor(connectionsMax / count))}`
      }
      slots.push({ env, service: await home.start({ env }) })
    }
    try {
      // The first one makes the tables.
      await one()
      while (slots.length < count)
        await Promise.all(
          Array.from({ length: Math.min(startedAtOnce, count - slots.length) }, one)
        )
    } catch (cause) {
      await home.remove()
      await database.remove()
      throw cause
    }
    return new Runners(database, home, slots)
  }

  get #services(): ReadonlyArray<RunningService> {
    return this.#slots.map(({ service }) => service)
  }

  get urls(): ReadonlyArray<string> {
    return this.#services.map(({ url }) => url)
  }

  service(at: number): RunningService {
    const slot = this.#slots[at]
    if (slot === undefined) throw new Error(`no runner ${at}`)
    return slot.service
  }

  /** Ends a runner. */
  async end(at: number, signal: NodeJS.Signals): Promise<number | null> {
    const service = this.service(at)
    this.#orphansBefore += await figure(service, orphanSockets)
    return service.stop(signal)
  }

  /** Starts a runner again that has ended. */
  async again(at: number): Promise<void> {
    const slot = this.#slots[at]
    if (slot === undefined) throw new Error(`no runner ${at}`)
    slot.service = await this.#home.start({ env: slot.env })
  }

  /** Lets a runner with its rooms stand still, as a frozen machine does, or go on. */
  freeze(at: number, frozen: boolean): void {
    const { pid } = this.service(at)
    signalAll([pid, ...descendantsOf(pid)], frozen ? "SIGSTOP" : "SIGCONT")
  }

  async allReady(): Promise<void> {
    await Promise.all(
      this.urls.map((url) => until(`${url} is ready`, () => isReady(url), readyWithinMs))
    )
  }

  /** Rooms that are awake on each runner. */
  roomsAwake(): Promise<ReadonlyArray<number>> {
    return figures(this.#services, "atrium_rooms_awake")
  }

  /** Connections of each runner. */
  sockets(): Promise<ReadonlyArray<number>> {
    return figures(this.#services, "atrium_sockets")
  }

  /** Orphan sockets that the runners have counted so far. */
  async orphans(): Promise<number> {
    const counts = await figures(this.#services, orphanSockets)
    return counts.reduce((sum, each) => sum + each, this.#orphansBefore)
  }

  async remove(): Promise<void> {
    await this.#home.remove()
    await this.database.remove()
  }
}
