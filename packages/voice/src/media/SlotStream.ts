/** The position of an RTP packet in its stream, from the packet's header. */
export interface StreamPlace {
  /** 16 bits. */
  readonly sequenceNumber: number
  /** 32 bits, 48 a millisecond. */
  readonly timestamp: number
}

/** A packet of a speaker. */
export interface SpokenPacket extends StreamPlace {
  readonly speaker: number
  /** Another number after each pause in which the speaker's packets were not forwarded. */
  readonly spurt: number
}

/** Of opus, whose clock always runs at 48 kHz. */
const TicksPerMs = 48

/** A sequence number that is ahead by this much or more counts as behind: numbers wrap at 16 bits. */
const Half = 0x8000

const sequence = (number: number): number => number & 0xffff
const ticks = (number: number): number => number >>> 0

/**
 * The RTP stream of one slot of a listener: one stream for its receiver, whatever speakers have the slot in
 * turn. Packets that were not forwarded leave no gap, packets that were lost on their way do.
 */
export class SlotStream {
  #last: StreamPlace
  #lastAtMs = 0
  #speaker: number | null = null
  #spurt = 0
  /** Added to the numbers of the speaker's packets. */
  #sequenceShift = 0
  #tickShift = 0
  /** Numbers from the first packet of the spurt to the last one. */
  #extent = 0

  /** @param start any numbers, as a receiver must not guess them */
  constructor(start: StreamPlace) {
    this.#last = {
      sequenceNumber: sequence(start.sequenceNumber),
      timestamp: ticks(start.timestamp)
    }
  }

  /** @returns the packet's place in the slot's stream; `null` = it came too late to have one */
  next(packet: SpokenPacket, nowMs: number): (StreamPlace & { readonly begins: boolean }) | null {
    const begins = packet.speaker !== this.#speaker || packet.spurt !== this.#spurt
    if (begins) this.#begin(packet, nowMs)
    const place = {
      sequenceNumber: sequence(packet.sequenceNumber + this.#sequenceShift),
      timestamp: ticks(packet.timestamp + this.#tickShift)
    }
    const ahead = sequence(place.sequenceNumber - this.#last.sequenceNumber)
    if (ahead < Half) {
      this.#extent = begins ? 0 : this.#extent + ahead
      this.#last = place
      this.#lastAtMs = nowMs
      // It was sent before the first packet of the spurt, whose place is taken.
    } else if (2 * Half - ahead > this.#extent) return null
    return { ...place, begins }
  }

  #begin(packet: SpokenPacket, nowMs: number): void {
    const { sequenceNumber, timestamp } = this.#last
    this.#sequenceShift = sequence(sequenceNumber + 1 - packet.sequenceNumber)
    if (packet.speaker !== this.#speaker) {
      const passedMs = this.#speaker === null ? 0 : nowMs - this.#lastAtMs
      const passed = Math.max(1, Math.round(passedMs * TicksPerMs))
      this.#tickShift = ticks(timestamp + passed - packet.timestamp)
    }
    this.#speaker = packet.speaker
    this.#spurt = packet.spurt
  }
}
