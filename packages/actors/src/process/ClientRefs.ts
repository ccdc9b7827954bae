import { HostFrameError } from "@atrium/runtime/host/HostFrames"

type Place = "waiting" | "in" | { readonly goneUntilPing: number }

/**
 * The connections that a room process may speak of. One that the service took away stays known
 * until the process has answered a ping that was sent later: only then can it know.
 */
export class ClientRefs {
  readonly #places = new Map<number, Place>()

  /** Connections that it may speak of. */
  get size(): number {
    return this.#places.size
  }

  /** A join has no answer yet. */
  get someWait(): boolean {
    return this.#places.values().some((place) => place === "waiting")
  }

  join(ref: number): void {
    this.#places.set(ref, "waiting")
  }

  /** `false` when the room has no such connection, or it is gone already. */
  has(ref: number): boolean {
    const place = this.#places.get(ref)
    return place === "waiting" || place === "in"
  }

  /** The service took the connection away. */
  gone(ref: number, nextPing: number): void {
    if (this.has(ref)) this.#places.set(ref, { goneUntilPing: nextPing })
  }

  answeredPing(ping: number): void {
    for (const [ref, place] of this.#places) {
      if (typeof place === "object" && place.goneUntilPing <= ping) this.#places.delete(ref)
    }
  }

  /** The room answered a join. `false`: nobody waits for it any more. Errors: HostFrameError. */
  answered(ref: number, admitted: boolean): boolean {
    const place = this.#known(ref)
    if (place === "in") throw new HostFrameError(`ref ${ref} is in the room already`)
    if (place !== "waiting") return false
    if (admitted) this.#places.set(ref, "in")
    else this.#places.delete(ref)
    return true
  }

  /** The room let a client go. `false`: it is gone already. Errors: HostFrameError. */
  kicked(ref: number): boolean {
    if (!this.#mayReceive(ref)) return false
    this.#places.delete(ref)
    return true
  }

  /** The recipients that are still connected. Errors: HostFrameError. */
  recipients(refs: ReadonlyArray<number>): ReadonlyArray<number> {
    const there = refs.filter((ref) => this.#mayReceive(ref))
    return there.length === refs.length ? refs : there
  }

  #mayReceive(ref: number): boolean {
    const place = this.#known(ref)
    if (place === "waiting") throw new HostFrameError(`ref ${ref} has no welcome yet`)
    return place === "in"
  }

  #known(ref: number): Place {
    const place = this.#places.get(ref)
    if (place === undefined) throw new HostFrameError(`ref ${ref} is unknown`)
    return place
  }
}
