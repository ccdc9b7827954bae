import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"

import type { VoiceChange } from "./VoiceChanges.ts"

/** The voice groups of the room's clients, and what of them the service has not heard yet. */
export class ClientGroups {
  readonly #groups = new Map<string, VoiceGroups>()
  readonly #changed = new Set<string>()

  set(sessionId: string, groups: VoiceGroups | null): void {
    if (groups === null && !this.#groups.has(sessionId)) return
    if (groups === null) this.#groups.delete(sessionId)
    else this.#groups.set(sessionId, groups)
    this.#changed.add(sessionId)
  }

  of(sessionId: string): VoiceGroups | null {
    return this.#groups.get(sessionId) ?? null
  }

  /** What has changed since the last call; a client without groups has `null`. */
  takeChanges(): ReadonlyArray<VoiceChange> {
    const changes = Array.from(this.#changed, (sessionId): VoiceChange => ({
      sessionId,
      groups: this.of(sessionId)
    }))
    this.#changed.clear()
    return changes
  }
}
