import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"

/** Bytes of the application from clients and to them. */
export interface Bytes {
  readonly ingressBytes: number
  readonly egressBytes: number
}

/** A room whose gate counts what passes it. */
export interface CountedRoom {
  readonly key: { readonly projectId: string }
  readonly gate: Bytes
}

export const noBytes: Bytes = { ingressBytes: 0, egressBytes: 0 }

const sum = (one: Bytes, other: Bytes): Bytes => ({
  ingressBytes: one.ingressBytes + other.ingressBytes,
  egressBytes: one.egressBytes + other.egressBytes
})

/** The traffic of all rooms of this runner so far. The last count of a room that is gone is kept. */
export class RoomTraffic {
  /** By project, the one whose room ended last at the end. */
  readonly #gone = new Map<string, Bytes>()
  #allGone = noBytes

  /** A room has ended; nothing passes it any more. */
  ended({ key: { projectId }, gate }: CountedRoom): void {
    const bytes = sum(this.#gone.get(projectId) ?? noBytes, gate)
    this.#allGone = sum(this.#allGone, gate)
    this.#gone.delete(projectId)
    this.#gone.set(projectId, bytes)
    const [oldest] = this.#gone.keys()
    if (this.#gone.size > RoomLimits.trafficProjects.max && oldest !== undefined) {
      this.#gone.delete(oldest)
    }
  }

  /** @param awake the rooms that are awake now */
  of(projectId: string, awake: ReadonlyArray<CountedRoom>): Bytes {
    const here = awake.filter(({ key }) => key.projectId === projectId)
    return here.reduce((bytes, { gate }) => sum(bytes, gate), this.#gone.get(projectId) ?? noBytes)
  }

  /** Of all projects. */
  all(awake: ReadonlyArray<CountedRoom>): Bytes {
    return awake.reduce((bytes, { gate }) => sum(bytes, gate), this.#allGone)
  }
}
