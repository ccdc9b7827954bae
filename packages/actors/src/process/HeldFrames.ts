import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"

/** A room process whose unfinished frame the service holds. */
export interface Holder {
  /** Ends it, as all of them hold too much and it holds the most. */
  holdsMost(): void
}

/** The bytes that the service holds of unfinished frames of all its room processes. Source: C-191. */
export class HeldFrames {
  readonly #max: number
  readonly #holders = new Map<Holder, number>()
  #bytes = 0

  constructor(max: number = RoomProcessLimits.roomHeldAllBytes.max) {
    this.#max = max
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Tells what is held for one of them now; `0` = nothing. */
  tell(holder: Holder, bytes: number): void {
    this.#bytes += bytes - (this.#holders.get(holder) ?? 0)
    if (bytes === 0) this.#holders.delete(holder)
    else this.#holders.set(holder, bytes)
    while (this.#bytes > this.#max) this.#endLargest()
  }

  #endLargest(): void {
    let most: Holder | null = null
    for (const [holder, bytes] of this.#holders) {
      if (most === null || bytes > (this.#holders.get(most) ?? 0)) most = holder
    }
    if (most === null) return
    this.tell(most, 0)
    most.holdsMost()
  }
}
