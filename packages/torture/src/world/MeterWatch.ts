import { dayTable } from "@atrium/actors/meters/MemoryMeters"
import type { MeterStore } from "@atrium/actors/meters/MeterStore"
import { type Metered, MeterCounts } from "@atrium/actors/meters/RunnerMeter"
import type { MemoryTables } from "@atrium/actors/store/MemoryDatabase"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { Effect } from "effect"

import type { Host } from "./Host.ts"
import type { Timeline } from "./Timeline.ts"
import { Violation } from "./Violation.ts"

/** The end of a process is noticed, and its room told to be ready, within so much of its host's time. */
const noticedMs = 1000
/** A report is on its way to the store for so long, when nothing is wrong. */
const onTheWayMs = 1000

/** A process of a room, in the machine's time. */
interface Life {
  readonly room: string
  readonly host: Host
  readonly startsAtMs: number
  /** From here on its time must count; `null` = it was not up for long. */
  countsAtMs: number | null
  /** It has ended; `null` = it has not. */
  endsAtMs: number | null
  /** From here on no time of it may count. */
  goneAtMs: number | null
}

/** What a host has reported: each moment is that of the look whose counts a report has. */
interface Reported {
  lookedAtMs: number
  /** Of the last report that was sent, which the store may have taken. */
  sentAtMs: number
  /** Of the last report that the store has confirmed. */
  takenAtMs: number
  diedAtMs: number | null
  /** When it last found that it had lost a room. */
  lapsedAtMs: number
}

/**
 * Compares the room hours that the runners of a world have stored with the lives of the rooms' processes:
 * no time counts twice, and none is lost but what a runner had not reported when it died.
 */
export class MeterWatch {
  readonly #timeline: Timeline
  readonly #tables: MemoryTables
  readonly #wasTroubled: (fromMs: number, untilMs: number) => boolean
  /** By process. */
  readonly #lives = new Map<object, Life>()
  readonly #reported = new Map<Host, Reported>()
  /** By project: time of rooms that their runner had lost, which it does not count. */
  readonly #lapsedMs = new Map<string, number>()
  /** Processes whose time was compared. */
  metered = 0

  constructor(watched: {
    readonly timeline: Timeline
    readonly tables: MemoryTables
    /** The store, the clock or a runner was in trouble at some time between. */
    readonly wasTroubled: (fromMs: number, untilMs: number) => boolean
  }) {
    this.#timeline = watched.timeline
    this.#tables = watched.tables
    this.#wasTroubled = watched.wasTroubled
  }

  #of(host: Host): Reported {
    const known = this.#reported.get(host)
    if (known !== undefined) return known
    const made: Reported = {
      lookedAtMs: 0,
      sentAtMs: 0,
      takenAtMs: 0,
      diedAtMs: null,
      lapsedAtMs: -1
    }
    this.#reported.set(host, made)
    host.onDeath(() => (this.#of(host).diedAtMs = this.#timeline.machineMs))
    return made
  }

  /** The counts of a host. @param looks hears of each look, which comes at this moment of the service's clock */
  countsOf(host: Host, looks: (nowMs: number) => void): MeterCounts {
    const reported = this.#of(host)
    return new WatchedCounts({
      looked: (nowMs) => {
        reported.lookedAtMs = this.#timeline.machineMs
        looks(nowMs)
      },
      lapsed: (projectId, ms) => {
        reported.lapsedAtMs = this.#timeline.machineMs
        this.#lapsedMs.set(projectId, (this.#lapsedMs.get(projectId) ?? 0) + ms)
      }
    })
  }

  /** The store that a host reports to. */
  storeOf(host: Host, store: MeterStore["Service"]): MeterStore["Service"] {
    const reported = this.#of(host)
    const sentAtMs = new Map<number, number>()
    const take: MeterStore["Service"]["take"] = (report) =>
      Effect.suspend(() => {
        const { sequence } = report
        if (!sentAtMs.has(sequence)) sentAtMs.set(sequence, reported.lookedAtMs)
        reported.sentAtMs = Math.max(reported.sentAtMs, sentAtMs.get(sequence) ?? 0)
        const confirmed = Effect.sync(() => {
          reported.takenAtMs = Math.max(reported.takenAtMs, sentAtMs.get(sequence) ?? 0)
        })
        return Effect.andThen(store.take(report), confirmed)
      })
    return { ...store, take }
  }

  /** @param readyMs when the process is up, in the host's time from now; `null` = never */
  processStarts(
    process: object,
    { room, host, readyMs }: Pick<Life, "room" | "host"> & { readonly readyMs: number | null }
  ): void {
    const startsAtMs = this.#timeline.machineMs
    const life: Life = { room, host, startsAtMs, countsAtMs: null, endsAtMs: null, goneAtMs: null }
    this.#lives.set(process, life)
    if (readyMs === null) return
    host.after(readyMs, () =>
      host.after(noticedMs, () => {
        if (life.endsAtMs === null) life.countsAtMs = this.#timeline.machineMs
      })
    )
  }

  processEnds(process: object): void {
    const life = this.#lives.get(process)
    if (life === undefined) return
    life.endsAtMs = this.#timeline.machineMs
    life.host.after(noticedMs, () => (life.goneAtMs = this.#timeline.machineMs))
  }

  /** No room is awake, and every runner that lives has reported since. */
  check(project: string): void {
    const lives = [...this.#lives.values()].filter(({ room }) => room.startsWith(`${project}/`))
    for (const life of lives) this.#checkLag(life)
    const countedMs = [...dayTable.rowsIn(this.#tables)]
      .filter(([key]) => key.startsWith(`${project}/`))
      .reduce((sum, [, { roomHours }]) => sum + roomHours, 0)
    const rooms = new Set(lives.map(({ room }) => room))
    const mostMs = [...rooms]
      .map((room) => this.#mostOf(lives.filter((life) => life.room === room)))
      .reduce((sum, ms) => sum + ms, 0)
    if (countedMs > mostMs) {
      throw new Violation("meters", `${project}: ${countedMs} ms count, and rooms ran ${mostMs}`)
    }
    // After so long the store has forgotten what a run of a runner reported last.
    if (this.#forwardMs(0, this.#timeline.machineMs) >= MeterLimits.runKept.ms) return
    const lapsedMs = this.#lapsedMs.get(project) ?? 0
    const leastMs = lives.reduce((sum, life) => sum + this.#leastOf(life), -lapsedMs)
    if (countedMs < leastMs) {
      throw new Violation("meters", `${project}: ${countedMs} ms count of ${leastMs}`)
    }
    this.metered += lives.length
  }

  /** A runner that dies has reported what it counted until a few seconds before. */
  #checkLag({ room, host, countsAtMs, endsAtMs }: Life): void {
    const { diedAtMs, takenAtMs, lapsedAtMs } = this.#of(host)
    if (diedAtMs === null || countsAtMs === null || lapsedAtMs >= takenAtMs) return
    const lostMs = Math.min(endsAtMs ?? diedAtMs, diedAtMs) - Math.max(countsAtMs, takenAtMs)
    if (lostMs <= MeterLimits.report.ms + onTheWayMs) return
    if (this.#wasTroubled(takenAtMs, diedAtMs)) return
    throw new Violation("meters", `${host.name} died, and ${lostMs} ms of ${room} are lost`)
  }

  /** The most that may count of a room: the time in which one of its processes ran, once. */
  #mostOf(lives: ReadonlyArray<Life>): number {
    let untilMs = 0
    let sum = 0
    for (const life of lives.toSorted((one, other) => one.startsAtMs - other.startsAtMs)) {
      const { diedAtMs, sentAtMs } = this.#of(life.host)
      const endsMs = life.goneAtMs ?? this.#timeline.machineMs
      const toMs = diedAtMs === null ? endsMs : Math.min(endsMs, sentAtMs)
      const fromMs = Math.max(untilMs, life.startsAtMs)
      if (toMs <= fromMs) continue
      sum += toMs - fromMs + this.#forwardMs(fromMs, toMs)
      untilMs = toMs
    }
    return sum
  }

  /** The least that must count of a process. */
  #leastOf({ host, countsAtMs, endsAtMs }: Life): number {
    if (countsAtMs === null) return 0
    const { diedAtMs, takenAtMs } = this.#of(host)
    const endsMs = (endsAtMs ?? this.#timeline.machineMs) - noticedMs
    const toMs = diedAtMs === null ? endsMs : Math.min(endsMs, takenAtMs)
    const jumpedMs = this.#timeline.jumps
      .filter(({ atMs, ms }) =>
        ms > 0 ? atMs > countsAtMs && atMs < toMs : atMs >= countsAtMs && atMs <= toMs
      )
      .reduce((sum, { ms }) => sum + ms, 0)
    return Math.max(0, toMs - countsAtMs + jumpedMs)
  }

  /** How far the service's clock was set forth in this span of the machine's time. */
  #forwardMs(fromMs: number, toMs: number): number {
    return this.#timeline.jumps
      .filter(({ atMs, ms }) => ms > 0 && atMs >= fromMs && atMs <= toMs)
      .reduce((sum, { ms }) => sum + ms, 0)
  }
}

interface CountsTold {
  looked(nowMs: number): void
  /** The runner had lost a room for so long of the service's time before this look. */
  lapsed(projectId: string, ms: number): void
}

/** Counts as the product does, and tells what it leaves out. */
class WatchedCounts extends MeterCounts {
  readonly #told: CountsTold
  readonly #fromMs = new Map<Metered, number>()

  constructor(told: CountsTold) {
    super()
    this.#told = told
  }

  override began(metered: Metered, nowMs: number): void {
    this.#fromMs.set(metered, nowMs)
    super.began(metered, nowMs)
  }

  override ended(metered: Metered, nowMs: number): void {
    this.#pass(metered, nowMs)
    this.#fromMs.delete(metered)
    super.ended(metered, nowMs)
  }

  override look(nowMs: number): ReturnType<MeterCounts["look"]> {
    this.#told.looked(nowMs)
    for (const metered of this.#fromMs.keys()) this.#pass(metered, nowMs)
    return super.look(nowMs)
  }

  #pass(metered: Metered, nowMs: number): void {
    const fromMs = this.#fromMs.get(metered)
    if (fromMs === undefined || nowMs <= fromMs) return
    this.#fromMs.set(metered, nowMs)
    if (metered.meter === "roomHours" && metered.lapsed())
      this.#told.lapsed(metered.projectId, nowMs - fromMs)
  }
}
