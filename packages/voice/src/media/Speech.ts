/** A packet whose level is lower than this, in dB below the loudest possible, is speech. */
const SpeechLevel = 55
/** Speech goes on for so long without such a packet: words have gaps. */
const HangMs = 400
/** A new packet counts for this part of the loudness, so that one click makes no speaker. */
const NewPart = 0.1
/** Loudness of silence is 0. */
const LevelMax = 127

/** The level of a packet that does not say its own: speech of middle loudness. */
export const UnknownLevel = 30

/** Whether a participant speaks, and how loudly, by the levels of its packets (RFC 6464). */
export class Speech {
  #loudness = 0
  #loudAtMs = 0
  #speaks = false
  #spurts = 0

  /**
   * @param level of a packet, in dB below the loudest possible: 0 to 127
   * @returns whether the participant began or ceased to speak
   */
  heard(level: number, nowMs: number): boolean {
    const loudness = LevelMax - level
    this.#loudness += (loudness - this.#loudness) * NewPart
    if (level >= SpeechLevel) return this.ceased(nowMs)
    this.#loudAtMs = nowMs
    if (this.#speaks) return false
    this.#speaks = true
    this.#spurts++
    return true
  }

  /** @returns whether the participant has ceased to speak just now, perhaps as no packet comes any more */
  ceased(nowMs: number): boolean {
    if (!this.#speaks || nowMs - this.#loudAtMs <= HangMs) return false
    this.#speaks = false
    return true
  }

  get speaks(): boolean {
    return this.#speaks
  }

  get loudness(): number {
    return this.#loudness
  }

  /** The number of the present or last time that the participant spoke. */
  get spurt(): number {
    return this.#spurts
  }
}
