import { dayTable } from "@atrium/actors/meters/MemoryMeters"
import type { MeterStore } from "@atrium/actors/meters/MeterStore"
import type { MemoryTables } from "@atrium/actors/store/MemoryDatabase"
import type { GateCall } from "@atrium/actors/voice/RoomCall"
import type { CalledRoom, VoiceCalls } from "@atrium/actors/voice/VoiceCalls"
import type { Chance } from "@atrium/api/testing/Chance"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { roomKeyText } from "@atrium/domain/shared/Ids"
import { readVoiceAsk, readVoiceTold } from "@atrium/wire/voice/VoiceFrames"
import { Effect } from "effect"

import type { Host } from "./Host.ts"
import { PlayedMedia } from "./PlayedMedia.ts"
import type { Timeline } from "./Timeline.ts"
import { Violation } from "./Violation.ts"

/** Participants that the call of a room may have. */
const capacity = 2

/** Milliseconds of participants, by project. */
type Amounts = Map<string, number>

const add = (amounts: Amounts, project: string, ms: number): void => {
  if (ms > 0) amounts.set(project, (amounts.get(project) ?? 0) + ms)
}

const addAll = (amounts: Amounts, more: Amounts): void => {
  for (const [project, ms] of more) add(amounts, project, ms)
}

/** The calls of one runner. */
interface HostCalls {
  readonly host: Host
  readonly media: PlayedMedia
  readonly calls: Set<WatchedCall>
  /** Who has which number in the media. */
  readonly named: Map<number, { readonly call: WatchedCall; readonly ref: number }>
  /** Numbers that were given: each join has one of its own. */
  numbered: number
  /** Counted since the last look; since the look, and not in a report yet; by report. */
  since: Amounts
  looked: Amounts
  readonly reports: Map<number, Amounts>
}

interface Parts {
  readonly timeline: Timeline
  readonly tables: MemoryTables
  readonly chance: Chance
  checked(check: () => void): void
  /** The store, the clock or a runner was in trouble at some time since, by the machine's time. */
  wasTroubled(sinceMs: number): boolean
}

/**
 * Compares the time that is metered of participants with what it must be, to the millisecond: from the answer of the
 * media to the moment at which the participant leaves, its connection ends, its room moves or the media die. A
 * runner that dies loses what it has not reported.
 */
export class CallWatch {
  readonly #parts: Parts
  readonly #hosts = new Map<Host, HostCalls>()
  /** What the store has confirmed, and what it may have taken from runners that died. */
  readonly #sure: Amounts = new Map()
  /** Walls that are up, by project: since when, by the machine's time. */
  readonly walls = new Map<string, number>()
  /** Times of participants that began. */
  talked = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  #of(host: Host): HostCalls {
    const known = this.#hosts.get(host)
    if (known !== undefined) return known
    const named: HostCalls["named"] = new Map()
    const on = (tell: (call: WatchedCall, ref: number, media: number) => void) => (media: number) =>
      this.#parts.checked(() => {
        const found = named.get(media)
        if (found !== undefined) tell(found.call, found.ref, media)
      })
    const media = new PlayedMedia(host, this.#parts.chance, {
      admitted: on((call, ref, number) => call.admitted(ref, number)),
      joined: on((call, ref, number) => call.joined(ref, number)),
      gone: on((call, ref, number) => call.gone(ref, number))
    })
    const reports: HostCalls["reports"] = new Map()
    const calls = new Set<WatchedCall>()
    const made = { host, media, calls, named, numbered: 0, reports }
    const all: HostCalls = { ...made, since: new Map(), looked: new Map() }
    this.#hosts.set(host, all)
    host.onDeath(() => calls.clear())
    return all
  }

  mediaOf(host: Host): PlayedMedia {
    return this.#of(host).media
  }

  /** Media of runners that live, with somebody in calls. */
  get busy(): ReadonlyArray<PlayedMedia> {
    return [...this.#hosts.values()]
      .filter(({ host, media }) => !host.dead && media.size > 0)
      .map(({ media }) => media)
  }

  /** The calls of a host, which tell what comes in and out. */
  watched(host: Host, calls: VoiceCalls["Service"]): VoiceCalls["Service"] {
    const of = this.#of(host)
    return {
      prepare: () => calls.prepare(),
      of: (room) => {
        const call = new WatchedCall(room, {
          nowMs: () => host.currentTimeMillisUnsafe(),
          machineMs: () => this.#parts.timeline.machineMs,
          number: () => ++of.numbered,
          names: (media, ref) => void of.named.set(media, { call, ref }),
          counts: (ms) => add(of.since, room.key.projectId, ms),
          begins: () => this.talked++,
          wallSinceMs: () => this.walls.get(room.key.projectId) ?? null,
          wasTroubled: (sinceMs) => this.#parts.wasTroubled(sinceMs)
        })
        of.calls.add(call)
        const told: CalledRoom["write"] = (ref, frame) => {
          this.#parts.checked(() => call.told(ref, frame))
          room.write(ref, frame)
        }
        call.inner = calls.of({ ...room, capacity: () => capacity, write: told })
        return call
      }
    }
  }

  /** A runner looks at what it has counted, at this moment of the service's clock. */
  looked(host: Host, nowMs: number): void {
    const of = this.#of(host)
    for (const call of of.calls) call.pass(nowMs)
    addAll(of.looked, of.since)
    of.since = new Map()
  }

  /** The store that a host reports to. */
  storeOf(host: Host, store: MeterStore["Service"]): MeterStore["Service"] {
    const of = this.#of(host)
    const take: MeterStore["Service"]["take"] = (report) =>
      Effect.suspend(() => {
        const { sequence } = report
        if (!of.reports.has(sequence)) {
          of.reports.set(sequence, of.looked)
          of.looked = new Map()
        }
        const confirmed = Effect.sync(() => {
          addAll(this.#sure, of.reports.get(sequence) ?? new Map())
          of.reports.set(sequence, new Map())
        })
        return Effect.andThen(store.take(report), confirmed)
      })
    return { ...store, take }
  }

  /** Everybody has left, and every runner that lives has reported since. */
  check(project: string): void {
    let [leastMs, mostMs] = [this.#sure.get(project) ?? 0, this.#sure.get(project) ?? 0]
    for (const { host, media, since, looked, reports } of this.#hosts.values()) {
      if (!host.dead && media.size > 0) {
        throw new Violation("calls", `${host.name} keeps ${media.size} participants in its media`)
      }
      const waiting: Amounts = new Map()
      for (const report of reports.values()) addAll(waiting, report)
      mostMs += waiting.get(project) ?? 0
      if (host.dead) continue
      for (const amounts of [waiting, since, looked]) leastMs += amounts.get(project) ?? 0
    }
    const countedMs = [...dayTable.rowsIn(this.#parts.tables)]
      .filter(([key]) => key.startsWith(`${project}/`))
      .reduce((sum, [, { voiceMinutes }]) => sum + voiceMinutes, 0)
    const text = `${project}: ${countedMs} ms of participants count, not ${leastMs} to ${mostMs}`
    if (countedMs > mostMs) throw new Violation("calls", text)
    // After so long the store has forgotten what a run of a runner reported last.
    if (this.#jumpedMs() >= MeterLimits.runKept.ms) return
    if (countedMs < leastMs) throw new Violation("calls", text)
  }

  #jumpedMs(): number {
    return this.#parts.timeline.jumps.reduce((sum, { ms }) => sum + Math.max(0, ms), 0)
  }
}

/** A seat that has asked for the call. */
interface Seat {
  /** Its newest number in the media. */
  media: number
  /** Until when its time is counted; `null` = it is not in the call. */
  countedToMs: number | null
  /** The media have been asked to take it. */
  admitted: boolean
  askedAtMs: number
  /** Somebody else was in the call, or on the way into it, when it asked. */
  wasRunning: boolean
}

interface Around {
  nowMs(): number
  machineMs(): number
  /** The next number in the media. */
  number(): number
  names(media: number, ref: number): void
  counts(ms: number): void
  begins(): void
  wallSinceMs(): number | null
  wasTroubled(sinceMs: number): boolean
}

/** The call of a room: what its gate tells goes through here, and what must be counted comes of it. */
class WatchedCall implements GateCall {
  readonly #room: CalledRoom
  readonly #around: Around
  readonly #seats = new Map<number, Seat>()
  /** The media were lost: the call goes on for those who come back. */
  #lost = false
  inner: GateCall | null = null

  constructor(room: CalledRoom, around: Around) {
    this.#room = room
    this.#around = around
  }

  get running(): boolean {
    return this.inner?.running === true
  }

  asked(client: Parameters<GateCall["asked"]>[0], frame: Uint8Array): void {
    const ask = readVoiceAsk(frame)
    if (ask?._tag === "leave") this.#ends(client.ref)
    if (ask?._tag === "join") this.#asks(client.ref)
    this.inner?.asked(client, frame)
  }

  #asks(ref: number): void {
    const { number, names, machineMs } = this.#around
    const media = number()
    names(media, ref)
    const before = this.#seats.get(ref)
    const wasRunning = [...this.#seats.values()].some(({ admitted }) => admitted)
    const countedToMs = before?.countedToMs ?? null
    const asked = { media, countedToMs, askedAtMs: machineMs(), wasRunning }
    this.#seats.set(ref, { ...asked, admitted: before?.admitted === true })
  }

  named(ref: number, clientId: string): void {
    this.inner?.named(ref, clientId)
  }

  left(ref: number): void {
    this.#ends(ref)
    this.inner?.left(ref)
  }

  groupsChanged(changes: Parameters<GateCall["groupsChanged"]>[0]): void {
    this.inner?.groupsChanged(changes)
  }

  continued(): void {
    // The wall lets those who were in the call join again.
    this.#lost = true
    this.inner?.continued()
  }

  moved(): void {
    for (const ref of this.#seats.keys()) this.#ends(ref)
    this.inner?.moved()
  }

  /** The media are asked to take a participant. */
  admitted(ref: number, media: number): void {
    const seat = this.#seats.get(ref)
    if (seat?.media !== media) return
    seat.admitted = true
    const { wallSinceMs, wasTroubled } = this.#around
    const sinceMs = wallSinceMs()
    if (seat.wasRunning || this.#lost || seat.countedToMs !== null) return
    if (sinceMs === null || sinceMs > seat.askedAtMs || wasTroubled(sinceMs)) return
    throw new Violation("calls", `a call of ${this.#name} begins at the wall`)
  }

  joined(ref: number, media: number): void {
    const seat = this.#seats.get(ref)
    if (seat?.media !== media || seat.countedToMs !== null) return
    seat.countedToMs = this.#around.nowMs()
    this.#around.begins()
    const present = [...this.#seats.values()].filter(({ countedToMs }) => countedToMs !== null)
    if (present.length <= capacity) return
    throw new Violation("calls", `${present.length} are in the call of ${this.#name}`)
  }

  /** The participant is in the media no more. */
  gone(ref: number, media: number): void {
    this.#lost = true
    if (this.#seats.get(ref)?.media === media) this.#ends(ref)
  }

  told(ref: number, frame: Uint8Array): void {
    const told = readVoiceTold(frame)
    if (told?._tag !== "refused" || told.code !== "E_CAP_REACHED") return
    if (this.#seats.get(ref)?.wasRunning !== true) return
    throw new Violation("calls", `the running call of ${this.#name} is refused at the wall`)
  }

  /** Counts until this moment what has not been counted. */
  pass(nowMs: number): void {
    for (const seat of this.#seats.values()) this.#count(seat, nowMs)
  }

  get #name(): string {
    return roomKeyText(this.#room.key)
  }

  #ends(ref: number): void {
    const seat = this.#seats.get(ref)
    if (seat === undefined) return
    this.#count(seat, this.#around.nowMs())
    this.#seats.delete(ref)
  }

  /** What a runner counts of a room that it has lost is another one's. A clock that was set back counts nothing. */
  #count(seat: Seat, nowMs: number): void {
    const { countedToMs } = seat
    if (countedToMs === null || nowMs <= countedToMs) return
    seat.countedToMs = nowMs
    if (!this.#room.lapsed()) this.#around.counts(nowMs - countedToMs)
  }
}
