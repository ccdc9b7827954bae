import { dayStart } from "@atrium/domain/meters/Metering"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { DayMs } from "@atrium/wire/limits/Limit"
import { Context, Layer } from "effect"

import type { MeterSum } from "./MeterReport.ts"

/** Something whose time is metered while it lasts: an awake room, a participant of a call. */
export interface Metered {
  readonly projectId: ProjectId
  readonly meter: "roomHours" | "voiceMinutes"
  /** Another runner may serve it by now: from here on the time is that runner's. */
  readonly lapsed: () => boolean
}

/** A room whose gate counts the bytes that its clients' connections took. */
export interface MeteredRoom {
  readonly key: { readonly projectId: ProjectId }
  readonly gate: { readonly egressBytes: number }
}

interface Counted {
  bytes: number
  goneAtMs: number | null
}

/**
 * What the projects of a runner use, counted in its memory. It is told of moments and reads no clock;
 * on the path of a message it does nothing, as the gates of rooms count their bytes anyway.
 */
export class MeterCounts {
  readonly #sums = new Map<string, { -readonly [Key in keyof MeterSum]: MeterSum[Key] }>()
  /** To when the time of each has been counted. */
  readonly #times = new Map<Metered, number>()
  /** How many bytes of each room have been counted. */
  readonly #rooms = new Map<MeteredRoom, Counted>()
  readonly #bytes = new Map<ProjectId, number>()

  /** From this moment on the time counts. */
  began(metered: Metered, nowMs: number): void {
    this.#times.set(metered, nowMs)
  }

  /** It has ended; the second end of the same is none. */
  ended(metered: Metered, nowMs: number): void {
    this.#countTime(metered, nowMs)
    this.#times.delete(metered)
  }

  /** The bytes that the connections of this room take count. */
  roomCame(room: MeteredRoom): void {
    this.#rooms.set(room, { bytes: room.gate.egressBytes, goneAtMs: null })
  }

  /** The room has ended. Connections on other runners tell a little later what they took of it. */
  roomWent(room: MeteredRoom, nowMs: number): void {
    const counted = this.#rooms.get(room)
    if (counted !== undefined) counted.goneAtMs = nowMs
  }

  /** Bytes that a site or an open endpoint of a project sent. */
  sent(projectId: ProjectId, bytes: number): void {
    this.#bytes.set(projectId, (this.#bytes.get(projectId) ?? 0) + bytes)
  }

  /** Everything that was counted since the last look. */
  look(nowMs: number): ReadonlyArray<MeterSum> {
    for (const metered of this.#times.keys()) this.#countTime(metered, nowMs)
    for (const [room, counted] of this.#rooms) {
      this.sent(room.key.projectId, room.gate.egressBytes - counted.bytes)
      counted.bytes = room.gate.egressBytes
      const { goneAtMs } = counted
      if (goneAtMs !== null && nowMs - goneAtMs > MeterLimits.lateBytes.ms) this.#rooms.delete(room)
    }
    const dayStartsAtMs = dayStart(nowMs)
    for (const [projectId, amount] of this.#bytes) {
      this.#add({ projectId, meter: "dataOutBytes", dayStartsAtMs, amount })
    }
    this.#bytes.clear()
    const sums = [...this.#sums.values()]
    this.#sums.clear()
    return sums
  }

  /** A clock that was set back counts nothing until it is where it was. */
  #countTime(metered: Metered, nowMs: number): void {
    const fromMs = this.#times.get(metered)
    if (fromMs === undefined || nowMs <= fromMs) return
    this.#times.set(metered, nowMs)
    if (metered.lapsed()) return
    const { projectId, meter } = metered
    for (let atMs = fromMs; atMs < nowMs;) {
      const dayStartsAtMs = dayStart(atMs)
      const untilMs = Math.min(nowMs, dayStartsAtMs + DayMs)
      this.#add({ projectId, meter, dayStartsAtMs, amount: untilMs - atMs })
      atMs = untilMs
    }
  }

  #add(sum: MeterSum): void {
    if (sum.amount === 0) return
    const key = `${sum.projectId}/${sum.meter}/${sum.dayStartsAtMs}`
    const known = this.#sums.get(key)
    if (known === undefined) this.#sums.set(key, { ...sum })
    else known.amount += sum.amount
  }
}

/** The counts of this runner. Source: C-492. */
export class RunnerMeter extends Context.Service<RunnerMeter, MeterCounts>()(
  "@atrium/actors/meters/RunnerMeter"
) {
  static readonly layer = Layer.sync(RunnerMeter, () => new MeterCounts())
}
