import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"

/** A participant whose media cannot be taken. The message is for the participant. */
export class MediaRefusal extends Error {
  override readonly name = "MediaRefusal"
  readonly code: "E_VOICE_FULL" | "E_BAD_MESSAGE"

  constructor(code: MediaRefusal["code"], message: string) {
    super(message)
    this.code = code
  }
}

/** What a participant brings along. */
export interface MediaJoin {
  /** Participants of one call hear each other. */
  readonly call: number
  /** SDP of the client: one audio line that sends, and a line that receives for each slot. */
  readonly offer: string
  readonly groups: VoiceGroups
}

export interface MediaStats {
  readonly participants: number
}

/** Hears what the media tell of participants. */
export interface MediaListener {
  /** A further connection for the participant's slots: the client answers with {@link VoiceMedia.answer}. */
  offered(participant: number, offer: string): void
  /** The participants that the listener hears now, by slot; `null` = nobody. */
  slotsChanged(participant: number, speakers: ReadonlyArray<number | null>): void
  /** The media of all participants are lost. */
  lost(why: string): void
}

/**
 * Carries the sound of calls: the three loudest of those that a participant hears, each in a slot that
 * keeps its speaker, and no silence. Numbers of calls and participants are the caller's, and used once.
 * Remote candidates are dropped, and no name is resolved. Source: C-890.
 */
export interface VoiceMedia {
  /** @returns the answer to the offer. Rejects with {@link MediaRefusal}. */
  join(participant: number, join: MediaJoin): Promise<string>
  /** The client's answer to the last offer of the media. */
  answer(participant: number, answer: string): void
  /** Also ends a join that has no answer yet. */
  leave(participant: number): void
  setGroups(participant: number, groups: VoiceGroups): void
  stats(): MediaStats
  /** Ends all calls; resolves when the ports of participants are free. A join under way frees its own port. */
  close(): Promise<void>
}
