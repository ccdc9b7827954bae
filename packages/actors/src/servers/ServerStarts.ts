import type { ServerSettings } from "@atrium/domain/projects/ServerSettings"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { Context } from "effect"

interface Server {
  readonly projectId: string
  /** Which server of its project: see `ServerIndex`. */
  readonly nth: number
}

/**
 * Settings of the last start of each server of this runner. They stay in force until the next start, also
 * while the server holds no room. Spec: Project settings, Effects.
 */
export class ServerStarts {
  readonly #settings = new Map<string, ServerSettings>()

  started({ projectId, nth }: Server, settings: ServerSettings): void {
    const key = `${projectId}/${nth}`
    this.#settings.delete(key)
    this.#settings.set(key, settings)
    if (this.#settings.size <= ServerLimits.serversKnown.max) return
    for (const oldest of this.#settings.keys()) {
      this.#settings.delete(oldest)
      return
    }
  }

  /** `null` = it was never started here. */
  find({ projectId, nth }: Server): ServerSettings | null {
    return this.#settings.get(`${projectId}/${nth}`) ?? null
  }
}

/** Written by the servers of this runner, read at its doors. */
export const StartedServers = Context.Reference<ServerStarts>(
  "@atrium/actors/servers/StartedServers",
  { defaultValue: () => new ServerStarts() }
)
