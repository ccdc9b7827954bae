import type { RtpPacket } from "werift"

import { type Slots, slotsOf } from "../media/Slots.ts"
import type { Participant } from "./Participant.ts"

/** The participants of one room that talk with each other. */
export class Call {
  readonly #participants = new Map<number, Participant>()
  readonly #tell: (participant: number, slots: Slots) => void

  /** @param tell hears of slots that another speaker has now */
  constructor(tell: (participant: number, slots: Slots) => void) {
    this.#tell = tell
  }

  get size(): number {
    return this.#participants.size
  }

  has({ id }: Participant): boolean {
    return this.#participants.has(id)
  }

  add(participant: Participant): void {
    this.#participants.set(participant.id, participant)
    this.arrange()
  }

  remove({ id }: Participant): void {
    if (this.#participants.delete(id)) this.arrange()
  }

  /** Hears a packet of a speaker, and sends it to those who have a slot for the speaker. */
  forward(from: Participant, packet: RtpPacket, nowMs: number): void {
    if (from.speech.heard(from.levelOf(packet), nowMs)) this.arrange()
    if (!from.speech.speaks) return
    const speaker = { id: from.id, spurt: from.speech.spurt }
    for (const to of this.#participants.values()) to.hear(packet, speaker)
  }

  /** Looks for speakers that have ceased, and for others that are louder by now. */
  look(nowMs: number): void {
    for (const { speech } of this.#participants.values()) speech.ceased(nowMs)
    this.arrange()
  }

  /** Gives each participant the speakers that it is to hear. */
  arrange(): void {
    for (const listener of this.#participants.values()) {
      const slots = slotsOf(listener, this.#participants, ({ speech }) =>
        speech.speaks ? speech.loudness : null
      )
      if (slots === listener.slots) continue
      listener.slots = slots
      this.#tell(listener.id, slots)
    }
  }
}
