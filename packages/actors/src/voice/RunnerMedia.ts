import type { MediaJoin } from "@atrium/voice/media/VoiceMedia"
import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"
import { Context } from "effect"

/** Hears what becomes of a participant. */
export interface ParticipantListener {
  joined(answer: string): void
  /** SDP of a further connection for the slots, which the client answers. */
  offered(offer: string): void
  refused(refusal: { readonly code: string; readonly message: string }): void
  slotsChanged(speakers: ReadonlyArray<number | null>): void
  /** The media of all participants are lost: the last call. */
  lost(): void
}

/**
 * The media of the calls on a runner. It answers later, never within the call that asks. A participant
 * that has left hears nothing more.
 */
export class RunnerMedia extends Context.Service<
  RunnerMedia,
  {
    /** A call comes soon: its first join is not to wait for what takes long to start. */
    prepare(): void
    /** @param participant a number that is used once */
    join(participant: number, join: MediaJoin, listener: ParticipantListener): void
    answer(participant: number, answer: string): void
    leave(participant: number): void
    setGroups(participant: number, groups: VoiceGroups): void
  }
>()("@atrium/actors/voice/RunnerMedia") {}
