import type { RoomHost } from "@atrium/actors/process/RoomHost"
import type { RoomProcessListener } from "@atrium/actors/process/RoomProcess"
import { Chance } from "@atrium/api/testing/Chance"
import { FrameHeaderBytes } from "@atrium/runtime/host/HostFrames"
import { Reports } from "@atrium/runtime/host/RoomReports"
import { joinOf, StartOfRoom } from "@atrium/runtime/testing/TestOrders"

import { HostModel, type Verdict } from "./HostModel.ts"
import { validReports } from "./ReportCorpus.ts"

/** Refs, saves, calls and snapshots of a life come from 0 up to here, so that they meet. */
const IdsMax = 6

/** What a host is told by the service, and what its listener hears. */
export class Life {
  readonly calls: string[] = []
  readonly model = new HostModel()
  readonly host: RoomHost
  readonly ended: Promise<string>

  /** @param open makes the host, for this listener */
  constructor(open: (listener: RoomProcessListener) => RoomHost) {
    let end: (cause: string) => void = () => {}
    this.ended = new Promise((resolve) => (end = resolve))
    const listener = new Proxy<Record<string, unknown>>(
      {},
      {
        get: (_, name, listener: unknown) =>
          name === "footage"
            ? listener
            : (exit: unknown) => {
                this.calls.push(String(name))
                if (name === "exited") end(String(Object(exit)["cause"]))
              }
      }
      // Every method of the listener, and of its `footage`, notes its name.
    ) as unknown as RoomProcessListener
    this.host = open(listener)
  }

  /** Something that the service does of its own. */
  turn(chance: Chance): void {
    const id = chance.below(IdsMax)
    switch (chance.below(7)) {
      case 0:
        this.#start()
        return
      case 1:
        if (this.model.places.has(id)) return
        this.model.places.set(id, "waiting")
        return this.host.join(joinOf(id))
      case 2:
        return this.#away(id, () => this.host.drop(id))
      case 3:
        return this.#away(id, () => this.host.leave(id))
      case 4:
        this.model.snapshots.add(id)
        return this.host.requestSnapshot(id, { final: false })
      case 5:
        this.model.saves.delete(id)
        return this.host.saved(id, true)
      default:
        this.model.calls.delete(id)
        return this.host.callAnswered(id, { _tag: "Answered", value: some })
    }
  }

  #start(): void {
    if (this.model.stage !== "spare") return
    this.model.stage = "loading"
    this.host.start(startOrder)
  }

  #away(ref: number, act: () => void): void {
    const place = this.model.places.get(ref)
    if (place === "waiting" || place === "in") this.model.places.set(ref, "gone")
    act()
  }
}

const startOrder = {
  ...StartOfRoom,
  type: "fuzzed",
  version: 1,
  nowMs: 0,
  bundle: new Uint8Array()
}

const some = new Uint8Array([1, 2])

/** A frame whose bytes are valid; whether it is honest is another matter. */
const validReport = (chance: Chance): Uint8Array => {
  const id = chance.below(IdsMax)
  switch (chance.below(9)) {
    case 0:
      return Reports.joined(id, { sessionId: "s", resumed: false, tick: 0, state: some })
    case 1:
      return Reports.refused(id, { code: "E_ROOM_FULL", message: "no" })
    case 2:
      return Reports.deliver(chance.one(3) ? "all" : [id, ...(chance.one(2) ? [id] : [])], some)
    case 3:
      return Reports.kick(id, { code: 4000, reason: "" })
    case 4:
      return Reports.saveRequested(id, chance.one(2))
    case 5:
      return Reports.snapshot(id, some)
    case 6:
      return Reports.changed()
    case 7:
      return Reports.called(id, { name: "noun.call", payload: some })
    default:
      return chance.pick(validReports)
  }
}

/** Tries to be honest most of the time: a lie ends the life, and what comes later is not seen. */
export const nextReport = (chance: Chance, model: HostModel): Uint8Array => {
  let report = validReport(chance)
  if (chance.one(25)) return report
  for (let tries = 0; tries < 12; tries++) {
    if (model.foresee(report[4] ?? 0, report.subarray(FrameHeaderBytes))._tag === "Honest") break
    report = validReport(chance)
  }
  return report
}

/** Draws 0 each time, for which `turn` starts the room. */
export const startChance = new (class extends Chance {
  override below(): number {
    return 0
  }
})(0)

export const outcomeOf = (verdict: Verdict): string =>
  verdict._tag === "Ended" ? verdict.cause : (verdict.call ?? "nothing to tell")

export const problemOf = (verdict: Verdict, calls: ReadonlyArray<string>): string | null => {
  const wanted = verdict._tag === "Honest" && verdict.call !== null ? [verdict.call] : []
  // The stack of code that failed goes to its log, and of many lines some are dropped.
  const heard = calls.filter((call) => call !== "log")
  const same = heard.join() === wanted.filter((call) => call !== "log").join()
  return same ? null : `the listener heard [${calls.join()}] instead of [${wanted.join()}]`
}
