import type { ServerSettings } from "@atrium/domain/projects/ServerSettings"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { Context } from "effect"

import { serverKeyText } from "./ServerProtocol.ts"

interface Server {
  readonly projectId: string
  readonly index: number
}

/**
 * Settings of the last start of each server of this runner. They stay in force until the next start, also
 * while the server holds no room. Spec: Project settings, Effects.
 */
export class ServerStarts {
  readonly #settings = new Map<string, ServerSettings>()

  started({ projectId, index }: Server, settings: ServerSettings): void {
    const key = serverKeyText(projectId, index)
    this.#settings.delete(key)
    this.#settings.set(key, settings)
    if (this.#settings.size <= ServerLimits.serversKnown.max) return
    for (const oldest of this.#settings.keys()) {
      this.#settings.delete(oldest)
      return
    }
  }

  /** `null` = it was never started here. */
  find({ projectId, index }: Server): ServerSettings | null {
    return this.#settings.get(serverKeyText(projectId, index)) ?? null
  }
}

/** Written by the servers of this runner, read at its doors. */
export const StartedServers = Context.Reference<ServerStarts>(
  "@atrium/actors/servers/StartedServers",
  { defaultValue: () => new ServerStarts() }
)
