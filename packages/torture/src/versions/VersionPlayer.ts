import type { Chance } from "@atrium/api/testing/Chance"
import { sleep } from "@atrium/api/testing/load/Tasks"

import { textOf } from "./RoomReference.ts"
import {
  type DeployedVersions,
  type VersionPlace,
  type VersionRoom,
  VersionSeat
} from "./VersionRooms.ts"

/** Counts of plays and refusals, and the answers that differ from the reference. */
export interface VersionTally {
  plays: number
  answered: number
  /** Joins that a quarantine refused, rightly. */
  quarantined: number
  /** Other refusals, by their texts. */
  readonly refusals: Map<string, number>
  readonly violations: Array<string>
}

interface Playing {
  readonly chance: Chance
  readonly tally: VersionTally
  readonly isOver: () => boolean
}

/** Between two plays, on the average. */
const pauseMs = 2000

/** The words of a refusal of a room in quarantine. */
const isQuarantine = (refusal: string): boolean => refusal.includes("in quarantine")

/** Plays in one random room after another, for some seconds in each, and compares each answer with the reference. */
export const playRooms = async (
  place: VersionPlace,
  free: Set<VersionRoom>,
  { chance, tally, isOver }: Playing
): Promise<void> => {
  while (!isOver()) {
    const room = chance.pick([...free])
    free.delete(room)
    await playIn(room, place, { chance, tally, isOver }).catch(async (error: unknown) => {
      // The service is away.
      count(tally, String(error))
      await sleep(200)
    })
    free.add(room)
  }
}

const playIn = async (
  room: VersionRoom,
  place: VersionPlace,
  { chance, tally, isOver }: Playing
): Promise<void> => {
  const { least } = place.deployed()
  /** All that was deployed since this began. */
  const since = (): DeployedVersions => ({ least, most: place.deployed().most })
  const seat = await VersionSeat.join(place, room.roomId)
  if (typeof seat === "string") {
    if (isQuarantine(seat)) {
      if (room.mayBeRefused(since())) tally.quarantined++
      else {
        const why = await place.whyClosed(room.roomId)
        tally.violations.push(`${room.roomId} is in quarantine and has ${room.shown}: ${why}`)
      }
    } else count(tally, seat)
    return sleep(200)
  }
  for (let left = 10 + chance.below(20); left > 0 && !seat.over && !isOver(); left--) {
    const n = room.nextPlay()
    const expected = room.mayHave(n, seat.version, since())
    tally.plays++
    const answer = await seat.ask("play", n)
    if (answer !== null) {
      tally.answered++
      const same = expected.find((state) => textOf(state) === textOf(answer))
      if (same === undefined) {
        const all = expected.map(textOf).join(" or ")
        tally.violations.push(`${room.roomId} has ${textOf(answer)} and not ${all}`)
        // Later plays build on the wrong answer, so that one fault is told once.
        room.has(answer)
      } else room.has(same)
    }
    await sleep(pauseMs / 2 + chance.below(pauseMs))
  }
  await seat.leave()
}

const count = (tally: VersionTally, text: string): void => {
  tally.refusals.set(text, (tally.refusals.get(text) ?? 0) + 1)
}
