import { RoomGroups } from "@atrium/actors/process/groups/RoomGroups"
import { HeldFrames } from "@atrium/actors/process/HeldFrames"
import { StandardPace } from "@atrium/actors/process/ProcessPace"
import type { Child, ChildOwner } from "@atrium/actors/process/RoomChild"
import type { RoomHost } from "@atrium/actors/process/RoomHost"
import type { RoomProcessListener } from "@atrium/actors/process/RoomProcess"
import { Chance } from "@atrium/api/testing/Chance"
import { FrameHeaderBytes, frameOf, FromRoom } from "@atrium/runtime/host/HostFrames"
import { Reports } from "@atrium/runtime/host/RoomReports"

import { Life, nextReport, outcomeOf, problemOf, startChance } from "./HostLife.ts"
import { mutate } from "./Mutation.ts"
import type { Tally } from "./Tally.ts"

const RoomsMax = 3
/** Frames in the life of one process at most. */
const FramesMax = 60 * RoomsMax

/** The frames that follow are of this room; 0 = of none. */
const ofRoom = (member: number): Uint8Array => frameOf(FromRoom.room, { u32: member })

/** A process that rooms share, whose frames come from the fuzzer: it only has to end when it is ended. */
class Shared {
  #owner: ChildOwner | null = null
  readonly #groups = new RoomGroups({
    pace: StandardPace.groups,
    launch: () => ({
      open: (owner) => this.#open(owner),
      settings: {
        memoryMiB: 0,
        pace: StandardPace,
        memoryOf: () => null,
        mappedBytesOf: () => Promise.resolve(null),
        held: new HeldFrames()
      }
    }),
    hostEnded: () => {},
    processEnded: () => {}
  })

  #open(owner: ChildOwner): Child {
    this.#owner = owner
    const kill = (): void =>
      void setImmediate(() => owner.ended({ code: null, signal: "SIGKILL", errorTail: "" }))
    const idle = { pid: 0, sent: 0, heldBytes: 0, unreadBytes: 0 }
    return { ...idle, send: () => {}, sendData: () => {}, poll: () => {}, kill }
  }

  enter(room: string, listener: RoomProcessListener): RoomHost {
    const shares = { room, kind: "fuzzed" }
    const host = this.#groups.take({ bundle: new Uint8Array(), isDev: false, shares })
    if (host === null) throw new Error("the room got no place")
    host.claim(listener)
    return host
  }

  says(frame: Uint8Array): void {
    this.#owner?.frame(frame[4] ?? 0, Buffer.from(frame.subarray(FrameHeaderBytes)))
  }

  close(): void {
    this.#groups.close()
  }
}

/** What no process says that rooms share. */
const lies: ReadonlyArray<ReadonlyArray<Uint8Array>> = [
  [ofRoom(RoomsMax + 1), Reports.changed()],
  [ofRoom(0), Reports.booted()],
  [ofRoom(0), Reports.ready()],
  [ofRoom(0), Reports.weighed(1, 1)],
  [frameOf(FromRoom.room, { rest: new Uint8Array(2) })]
]

/** These say of which room frames are, and that it is no more: they are the fuzzer's own. */
const isOfProcess = (frame: Uint8Array): boolean =>
  frame[4] === FromRoom.room || frame[4] === FromRoom.ended

interface Member {
  readonly number: number
  readonly life: Life
  /** The first frames of a room, for which the service has ordered its start. */
  readonly opening: Array<Uint8Array>
}

/**
 * A process that rooms share says anything of each of them: the host of that room must do what the model says, and no
 * other one hears of it. What is of no room ends all of them, each for its neighbour. Source: C-973, C-976.
 */
export const liveTogether = async (seed: number, index: number, tally: Tally): Promise<void> => {
  const chance = Chance.of(seed, "hosts", index)
  const shared = new Shared()
  const wrong = (says: string): void => tally.fault({ part: "hosts", index, says })
  // The first cases are of one room, of two and of three, and so on in turns.
  const rooms = 1 + (Math.floor(index / 4) % RoomsMax)
  const members = Array.from({ length: rooms }, (_, at): Member => {
    const life = new Life((listener) => shared.enter(`room-${at}`, listener))
    return { number: at + 1, life, opening: [Reports.ready()] }
  })
  shared.says(Reports.booted())
  for (const { life } of members) {
    life.model.judge(FromRoom.booted, new Uint8Array())
    life.turn(startChance)
  }
  const callsOf = () => members.map(({ life }) => life.calls.length)
  const expected = new Map<Life, string>()
  let living = members
  for (let place = 0; place < FramesMax && living.length > 0; place++) {
    if (chance.one(FramesMax / 2)) {
      for (const frame of chance.pick(lies)) shared.says(frame)
      tally.count("room group", living.length > 1 ? "neighbour" : "alone")
      for (const { life } of living)
        expected.set(life, living.length > 1 ? "neighbour" : "protocol")
      break
    }
    const member = chance.pick(living)
    const { life, number } = member
    if (chance.one(2)) life.turn(chance)
    const valid = member.opening.shift() ?? nextReport(chance, life.model)
    const mutated = chance.one(40) ? mutate(chance, valid) : valid
    const frame = isOfProcess(mutated) ? valid : mutated
    const verdict = life.model.judge(frame[4] ?? 0, frame.subarray(FrameHeaderBytes))
    const before = callsOf()
    shared.says(ofRoom(number))
    shared.says(frame)
    tally.sent("hosts")
    tally.count("room host", outcomeOf(verdict))
    const problem = problemOf(verdict, life.calls.slice(before[number - 1]))
    if (problem !== null) wrong(`frame ${place} of room ${number}: ${problem}`)
    const others = callsOf().filter((count, at) => at !== number - 1 && count !== before[at])
    if (others.length > 0) wrong(`frame ${place} of room ${number}: another room heard of it`)
    if (verdict._tag !== "Ended") continue
    expected.set(life, verdict.cause)
    living = living.filter((each) => each !== member)
    tally.count("room group", "left")
    // Its host has asked the process to end this room: frames that still come for it are dropped.
    shared.says(frame)
    shared.says(frameOf(FromRoom.ended, { u8: 0 }))
  }
  shared.close()
  for (const { life, number } of members) {
    const [cause, wanted] = [await life.ended, expected.get(life) ?? "stopped"]
    if (cause !== wanted) wrong(`room ${number} ended with ${cause} instead of ${wanted}`)
    const exits = life.calls.filter((call) => call === "exited").length
    if (exits !== 1) wrong(`room ${number} had ${exits} exits`)
  }
}
