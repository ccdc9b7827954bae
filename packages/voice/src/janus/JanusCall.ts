import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"

import { type Slots, slotsOf } from "../media/Slots.ts"
import type { Feed, JanusListener } from "./JanusListener.ts"

/** Somebody in a call. */
export interface JanusParticipant {
  readonly id: number
  /** `null` = it has no microphone. */
  readonly feed: Feed | null
  readonly listener: JanusListener
  groups: VoiceGroups
  slots: Slots
  /** Louder is more; `null` = it does not speak. */
  loudness: number | null
  /** It ceases to speak when this has passed. */
  quiet: NodeJS.Timeout | null
}

/** Janus tells of silence after 100 ms of it: with this, words may have gaps of 400 ms. */
const HangMs = 300
/** Loudness of silence is 0. */
const LevelMax = 127

/** The participants of one room that talk with each other, in a room of Janus. */
export class JanusCall {
  readonly #participants = new Map<number, JanusParticipant>()
  readonly #silence: Feed
  readonly #tell: (participant: number, slots: Slots) => void

  /** @param tell hears of slots that another speaker has now */
  constructor(silence: Feed, tell: (participant: number, slots: Slots) => void) {
    this.#silence = silence
    this.#tell = tell
  }

  get size(): number {
    return this.#participants.size
  }

  add(participant: JanusParticipant): void {
    this.#participants.set(participant.id, participant)
    void this.arrange()
  }

  /** Resolves when nobody plays what the participant says. */
  async remove({ id, quiet }: JanusParticipant): Promise<void> {
    if (quiet !== null) clearTimeout(quiet)
    if (this.#participants.delete(id)) await this.arrange()
  }

  /** @param level of the packets, in dB below the loudest possible */
  speaks(participant: JanusParticipant, level: number): void {
    if (participant.quiet !== null) clearTimeout(participant.quiet)
    participant.quiet = null
    participant.loudness = LevelMax - level
    void this.arrange()
  }

  ceases(participant: JanusParticipant): void {
    if (participant.loudness === null || participant.quiet !== null) return
    participant.quiet = setTimeout(() => {
      participant.quiet = null
      participant.loudness = null
      void this.arrange()
    }, HangMs)
    participant.quiet.unref()
  }

  /** Gives each participant the speakers that it is to hear. Resolves when Janus has been told. */
  async arrange(): Promise<void> {
    await Promise.all(Array.from(this.#participants.values(), (each) => this.#for(each)))
  }

  /** A new speaker is told before it is heard, and a free slot when its last one is heard no more. */
  async #for(listener: JanusParticipant): Promise<void> {
    const before = listener.slots
    const slots = slotsOf(listener, this.#participants, ({ loudness }) => loudness)
    listener.slots = slots
    const frees = slots.some((speaker, slot) => speaker === null && before[slot] !== null)
    if (slots !== before && !frees) this.#tell(listener.id, slots)
    await listener.listener.play(slots.map((speaker) => this.#feedOf(speaker)))
    if (frees && listener.slots === slots) this.#tell(listener.id, slots)
  }

  /** A slot keeps a speaker who is silent, and plays nothing meanwhile. */
  #feedOf(speaker: number | null): Feed {
    const participant = speaker === null ? undefined : this.#participants.get(speaker)
    if (participant === undefined || participant.loudness === null) return this.#silence
    return participant.feed ?? this.#silence
  }
}
