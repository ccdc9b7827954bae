import { HeldFrames } from "@atrium/actors/process/HeldFrames"
import type { Launch } from "@atrium/actors/process/launcher/LauncherLink"
import { StandardPace } from "@atrium/actors/process/ProcessPace"
import { RoomChild } from "@atrium/actors/process/RoomChild"
import { RoomHost } from "@atrium/actors/process/RoomHost"
import type { RoomProcessListener } from "@atrium/actors/process/RoomProcess"
import { makeSendWindow } from "@atrium/actors/process/SendWindow"
import { Chance } from "@atrium/api/testing/Chance"
import { FrameHeaderBytes } from "@atrium/runtime/host/HostFrames"
import { Reports } from "@atrium/runtime/host/RoomReports"

import { liveTogether } from "./GroupFuzz.ts"
import { Life, nextReport, outcomeOf, problemOf, startChance } from "./HostLife.ts"
import { mutate } from "./Mutation.ts"
import type { Tally } from "./Tally.ts"

/** Frames in the life of one process at most: fewer than it may send at once. */
const FramesMax = 60
const MemoryMiB = 64

// The host is the real one; its process only has to end when it is ended.
const idle: Launch = (owner) => () =>
  void setImmediate(() => owner.ended({ code: null, signal: "SIGKILL" }))

const ownHost = (listener: RoomProcessListener): RoomHost => {
  const host = new RoomHost(
    (owner) => new RoomChild(idle, owner, makeSendWindow()),
    {
      memoryMiB: MemoryMiB,
      pace: StandardPace,
      memoryOf: () => null,
      mappedBytesOf: () => Promise.resolve(null),
      held: new HeldFrames()
    },
    () => {}
  )
  host.claim(listener)
  return host
}

/** The first two lives end in the two ways that chance seldom comes to. */
const ending = (index: number, place: number, life: Life): Uint8Array | null => {
  if (place !== 2 || index > 1 || life.model.stage !== "running") return null
  if (index === 0) return Reports.failed("why", "stack")
  life.model.snapshots.add(0)
  life.host.requestSnapshot(0, { final: false })
  return Reports.snapshotTooLarge(0, 1)
}

/** Most lives begin as they should, or no fault would ever get far. */
const opening = (chance: Chance): ReadonlyArray<Uint8Array> =>
  chance.one(6) ? [] : [Reports.booted(), Reports.ready()]

/** One room process that says anything to its host: the host must do what the model says, no more. */
const liveAlone = async (seed: number, index: number, tally: Tally): Promise<void> => {
  const chance = Chance.of(seed, "hosts", index)
  const life = new Life(ownHost)
  const opened = index > 1 ? opening(chance) : [Reports.booted(), Reports.ready()]
  if (opened.length > 0) life.turn(startChance)
  let expected = "stopped"
  const wrong = (says: string): void => tally.fault({ part: "hosts", index, says })
  for (let place = 0; place < FramesMax; place++) {
    if (chance.one(2)) life.turn(chance)
    const valid = opened[place] ?? ending(index, place, life) ?? nextReport(chance, life.model)
    const frame =
      place > opened.length && chance.one(40) ? mutate(chance, valid) : Buffer.from(valid)
    const body = frame.subarray(FrameHeaderBytes)
    const verdict = life.model.judge(frame[4] ?? 0, body)
    const before = life.calls.length
    life.host.frame(frame[4] ?? 0, body)
    tally.sent("hosts")
    tally.count("room host", outcomeOf(verdict))
    const problem = problemOf(verdict, life.calls.slice(before))
    if (problem !== null)
      wrong(`frame ${place}, ${frame.subarray(0, 60).toString("hex")}: ${problem}`)
    if (verdict._tag === "Ended") {
      expected = verdict.cause
      // It is dead now: whatever comes after is not heard.
      life.host.frame(frame[4] ?? 0, body)
      break
    }
  }
  life.host.kill("stopped")
  const cause = await life.ended
  if (cause !== expected) wrong(`ended with ${cause} instead of ${expected}`)
  if (life.calls.filter((call) => call === "exited").length !== 1) wrong("not exactly one exit")
}

/** One case in four is of a process that rooms share. */
export const liveOne = (seed: number, index: number, tally: Tally): Promise<void> =>
  index % 4 === 3 ? liveTogether(seed, index, tally) : liveAlone(seed, index, tally)
