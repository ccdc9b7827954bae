import type { ClientPort } from "./ClientPort.ts"
import { MintedTokens } from "./MintedTokens.ts"

/** A room of a project. */
export interface Watched {
  readonly project: string
  readonly roomId: string
}

/** Credentials for rooms that the client only watches, one per room. Source: D-29. */
export class Audience {
  readonly #tokens: MintedTokens

  constructor(port: ClientPort, httpBase: string) {
    this.#tokens = new MintedTokens(port, `${httpBase}/v1/audience`, port.tab ?? null)
  }

  token({ project, roomId }: Watched): Promise<string> {
    return this.#tokens.token({ project, roomId })
  }

  /** @returns whether another one is worth a try */
  forgetRestored({ project, roomId }: Watched): Promise<boolean> {
    return this.#tokens.forgetRestored({ project, roomId })
  }
}
