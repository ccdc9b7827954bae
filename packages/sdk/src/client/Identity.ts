import type { ClientPort } from "./ClientPort.ts"
import { MintedTokens } from "./MintedTokens.ts"

/**
 * Anonymous identities, one per project, kept as long as they are valid: all rooms of one Client
 * see the same player. Source: D-27.
 */
export class Identity {
  readonly #tokens: MintedTokens

  constructor(port: ClientPort, httpBase: string) {
    this.#tokens = new MintedTokens(port, `${httpBase}/v1/identity`)
  }

  token(project: string): Promise<string> {
    return this.#tokens.token({ project })
  }

  /** @returns whether another one is worth a try */
  forgetRestored(project: string): Promise<boolean> {
    return this.#tokens.forgetRestored({ project })
  }
}
