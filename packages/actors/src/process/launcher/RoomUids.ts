/** Each service gets uids of its own, whatever else runs on the machine: so many for each possible pid. */
const UidsPerService = 1_000
/** The last two are for the process that carries the media of voice calls, and for the one that maps stacks. */
const UidsForRooms = UidsPerService - 2
const FirstUid = 100_000_000
/** The last ones of a small map are `nobody` and the like. */
const KeptAtTheEnd = 1_000

/**
 * The first uid for the rooms of a service. A user namespace may map fewer uids than the kernel has:
 * then they are the last that it maps.
 *
 * @param uidMap the text of `/proc/self/uid_map`; empty = there is none
 */
export const firstUidFor = (pid: number, uidMap: string): number => {
  const wanted = FirstUid + pid * UidsPerService
  const ends = uidMap.split("\n").flatMap((line) => {
    const [inside, , count] = line.trim().split(/\s+/).map(Number)
    return inside === undefined || count === undefined ? [] : [inside + count]
  })
  const end = ends.length === 0 ? 2 ** 32 : Math.max(...ends)
  return wanted + UidsPerService < end ? wanted : Math.max(1, end - KeptAtTheEnd - UidsPerService)
}

/** The uid of the process that maps stacks, of a service whose rooms begin at this one. */
export const mapperUidOf = (firstUid: number): number => firstUid + UidsForRooms + 1

/** The uid of the process that carries the media of voice calls. */
export const mediaUidOf = (firstUid: number): number => firstUid + UidsForRooms

/** Gives each living room a uid of its own. */
export class RoomUids {
  readonly #first: number
  readonly #used = new Map<number, number>()
  #next = 0

  constructor(first: number) {
    this.#first = first
  }

  /** A uid that no living room has, or the one in turn when there are more rooms than uids. */
  take(id: number): number {
    const used = new Set(this.#used.values())
    for (let tried = 1; tried < UidsForRooms && used.has(this.#first + this.#next); tried++) {
      this.#next = (this.#next + 1) % UidsForRooms
    }
    const uid = this.#first + this.#next
    this.#next = (this.#next + 1) % UidsForRooms
    this.#used.set(id, uid)
    return uid
  }

  /** The uid that a room has. */
  of(id: number): number | null {
    return this.#used.get(id) ?? null
  }

  free(id: number): void {
    this.#used.delete(id)
  }
}
