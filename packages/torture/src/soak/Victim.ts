import { keptPort } from "@atrium/api/testing/KeptPorts"
import { stillRunning } from "@atrium/api/testing/ProcessTree"
import { makeHome, type RunningService, type ServiceHome } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"

import type { PlannedFault } from "./FaultPlan.ts"
import type { Incident } from "./Ledger.ts"
import { type ProcessKind, serviceProcesses } from "./ServiceProcesses.ts"
import { deployRoom, makeSoakProject } from "./SoakProject.ts"

type OpenIncident = { -readonly [K in keyof Incident]: Incident[K] }

const endsWithinMs = 10_000
const readyWithinMs = 30_000

/** A service to which things are done, always on the same folder and port. */
export class Victim {
  readonly project: string
  readonly url: string
  /** Faults of the service: things that it did and must not do. */
  readonly complaints: Array<string> = []
  readonly #home: ServiceHome
  readonly #env: Readonly<Record<string, string>>
  readonly #incidents: Array<OpenIncident> = []
  readonly #mending = new Set<Promise<void>>()
  #service: RunningService

  private constructor(
    home: ServiceHome,
    service: RunningService,
    made: { project: string; port: string }
  ) {
    this.#home = home
    this.#service = service
    this.#env = { PORT: made.port }
    this.project = made.project
    this.url = service.url
  }

  static async start(): Promise<Victim> {
    const home = await makeHome("embedded")
    const port = String(await keptPort())
    const service = await home.start({ env: { PORT: port } })
    return new Victim(home, service, {
      project: await makeSoakProject(service, "ledgerRoom"),
      port
    })
  }

  get incidents(): ReadonlyArray<Incident> {
    return this.#incidents
  }

  /** Resolves when the fault has struck; what PostgreSQL needs to come back is not waited for. */
  async strike(fault: PlannedFault, cut: () => void): Promise<void> {
    await this.#mourn()
    switch (fault.kind) {
      case "room":
        return this.#killOne("room", { fault, incident: "kill" })
      case "backend":
      case "postmaster":
        return this.#killOne(fault.kind, { fault, incident: "database" })
      case "service":
        return this.#startAnew("SIGKILL")
      case "drain":
        return this.#startAnew("SIGTERM")
      case "redeploy":
        return this.#redeploy()
      case "cut":
        this.#begin("mild")
        return cut()
    }
  }

  /** Ends the service in order, and looks that nothing of it is left. */
  async end(): Promise<void> {
    await this.#mourn()
    await this.#stop("SIGTERM")
    await this.#home.remove()
  }

  /** Resolves when the service answers again after the last incident. */
  async calm(): Promise<void> {
    await Promise.all(this.#mending)
    await this.#mourn()
  }

  #begin(kind: Incident["kind"]): OpenIncident {
    const nowMs = performance.now()
    const incident = { kind, atMs: nowMs, untilMs: nowMs }
    this.#incidents.push(incident)
    return incident
  }

  #killOne(
    kind: ProcessKind,
    { fault, incident }: { readonly fault: PlannedFault; readonly incident: Incident["kind"] }
  ): void {
    const of = serviceProcesses(this.#service.pid).filter((process) => process.kind === kind)
    const victim = of[Math.floor(fault.pick * of.length)]
    // After a fault in quick succession there may be none yet.
    if (victim === undefined) return
    const begun = this.#begin(incident)
    try {
      process.kill(victim.pid, "SIGKILL")
    } catch {
      return
    }
    if (incident !== "database") return
    begun.untilMs = begun.atMs + readyWithinMs
    const mending = this.#untilReady().then(() => {
      begun.untilMs = performance.now()
    })
    this.#mending.add(mending)
    void mending.finally(() => this.#mending.delete(mending))
  }

  /** The service goes on without PostgreSQL, and says when it has found it again. */
  async #untilReady(): Promise<void> {
    const { pid } = this.#service
    const ready = async (): Promise<boolean> => {
      if (stillRunning([pid]).length === 0) return true
      const answer = await fetch(`${this.url}/ready`).catch(() => null)
      await answer?.arrayBuffer()
      return answer?.status === 200
    }
    await until("the service is ready", ready, readyWithinMs).catch((error: unknown) => {
      this.complaints.push(String(error))
    })
  }

  /** The service must only end when it is ended. */
  async #mourn(): Promise<void> {
    if (stillRunning([this.#service.pid]).length > 0) return
    const said = this.#service.output().slice(-2000)
    this.complaints.push(`the service ended by itself:\n${said}`)
    await this.#startAnew("SIGKILL")
  }

  async #startAnew(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const incident = this.#begin(signal === "SIGKILL" ? "kill" : "mild")
    await this.#stop(signal)
    this.#service = await this.#home.start({ env: this.#env })
    incident.untilMs = performance.now()
  }

  async #stop(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const pids = serviceProcesses(this.#service.pid).map(({ pid }) => pid)
    const code = await this.#service.stop(signal)
    if (signal === "SIGTERM" && code !== 0) {
      this.complaints.push(
        `the service ended with ${code}:\n${this.#service.output().slice(-2000)}`
      )
    }
    await until("no process is left", () => stillRunning(pids).length === 0, endsWithinMs).catch(
      () => this.complaints.push(`processes outlived the service: ${stillRunning(pids).join(" ")}`)
    )
  }

  async #redeploy(): Promise<void> {
    const incident = this.#begin("mild")
    const { url, token } = this.#service
    // While PostgreSQL is away, the service refuses; who deploys tries again.
    let refusal: unknown = null
    const deployed = (): Promise<boolean> =>
      deployRoom({ url, token }, this.project, "widerLedgerRoom").then(
        () => true,
        (error: unknown) => {
          refusal = error
          return false
        }
      )
    await until("the deployment is taken", deployed, readyWithinMs).catch((error: unknown) => {
      this.complaints.push(`${String(error)}; ${String(refusal)}`)
    })
    incident.untilMs = performance.now()
  }
}
