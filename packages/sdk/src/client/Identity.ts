import type { ClientPort } from "./ClientPort.ts"
import { MintedTokens } from "./MintedTokens.ts"

/** Which pages share an anonymous player: all tabs of a browser, or one tab. */
export type IdentityScope = "browser" | "tab"

/**
 * Anonymous identities, one per project, kept as long as they are valid: all rooms of one Client
 * see the same player, and so do all tabs of a browser. Source: D-27, C-223.
 */
export class Identity {
  readonly #tokens: MintedTokens

  constructor(port: ClientPort, httpBase: string, scope: IdentityScope = "browser") {
    // A browser that lets pages store nothing for long may let them for the tab.
    const memory = (scope === "browser" ? port.browser : null) ?? port.tab ?? null
    this.#tokens = new MintedTokens(port, `${httpBase}/v1/identity`, memory)
  }

  token(project: string): Promise<string> {
    return this.#tokens.token({ project })
  }

  /** @returns whether another one is worth a try */
  forgetRestored(project: string): Promise<boolean> {
    return this.#tokens.forgetRestored({ project })
  }
}
