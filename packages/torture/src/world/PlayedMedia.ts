import type { ParticipantListener, RunnerMedia } from "@atrium/actors/voice/RunnerMedia"
import type { Chance } from "@atrium/api/testing/Chance"
import { SecondMs } from "@atrium/wire/limits/Limit"

import type { Host } from "./Host.ts"

/** Hears what the media do, just before the call does. */
interface MediaWatch {
  admitted(participant: number): void
  joined(participant: number): void
  /** The participant is not in the media, or no more. */
  gone(participant: number): void
}

const answerMsMax = 40
/** A process that starts, or a handshake on a busy machine. */
const slowMsMax = 6 * SecondMs

/** The media process of a runner: it answers late, refuses, and dies with everybody in its calls. */
export class PlayedMedia implements RunnerMediaService {
  readonly #host: Host
  readonly #chance: Chance
  readonly #watch: MediaWatch
  readonly #participants = new Map<number, ParticipantListener>()

  constructor(host: Host, chance: Chance, watch: MediaWatch) {
    this.#host = host
    this.#chance = chance
    this.#watch = watch
  }

  get size(): number {
    return this.#participants.size
  }

  prepare(): void {}

  join(participant: number, _: unknown, listener: ParticipantListener): void {
    this.#participants.set(participant, listener)
    this.#watch.admitted(participant)
    const isSlow = this.#chance.one(8)
    const isRefused = this.#chance.one(10)
    this.#host.after(this.#chance.below(isSlow ? slowMsMax : answerMsMax), () => {
      if (this.#participants.get(participant) !== listener) return
      if (isRefused) return this.#refuse(participant, listener)
      this.#watch.joined(participant)
      listener.joined("answer")
      // It may have left within its own answer.
      if (this.#participants.has(participant)) listener.slotsChanged([participant, null, null])
    })
  }

  answer(): void {}

  leave(participant: number): void {
    this.#participants.delete(participant)
  }

  setGroups(): void {}

  /** The process dies. @returns how many were in calls */
  kill(): number {
    const lost = [...this.#participants]
    this.#participants.clear()
    for (const [participant, listener] of lost) {
      this.#host.after(0, () => {
        this.#watch.gone(participant)
        listener.lost()
      })
    }
    return lost.length
  }

  #refuse(participant: number, listener: ParticipantListener): void {
    this.#participants.delete(participant)
    this.#watch.gone(participant)
    listener.refused({ code: "E_VOICE_FULL", message: "voice: no port is free" })
  }
}

type RunnerMediaService = RunnerMedia["Service"]
