import type { ClientPort } from "./ClientPort.ts"
import { MintedTokens } from "./MintedTokens.ts"

/** Which pages share an anonymous player: all tabs of a browser, or one tab. */
export type IdentityScope = "browser" | "tab"

/** Whose identity a client has. */
export interface IdentityOptions {
  readonly scope: IdentityScope
  /** The credential of a device that stays one player; `null` = anybody. */
  readonly device: string | null
}

/**
 * Anonymous identities, one per project, kept as long as they are valid: all rooms of one Client
 * see the same player, and so do all tabs of a browser. Source: D-27, C-223.
 */
export class Identity {
  readonly #tokens: MintedTokens
  readonly #device: string | null

  constructor(
    port: ClientPort,
    httpBase: string,
    { scope, device }: IdentityOptions = { scope: "browser", device: null }
  ) {
    // A browser that lets pages store nothing for long may let them for the tab. A device needs no other memory.
    const shared = (scope === "browser" ? port.browser : null) ?? port.tab ?? null
    this.#tokens = new MintedTokens(
      port,
      `${httpBase}/v1/identity`,
      device === null ? shared : null
    )
    this.#device = device
  }

  token(project: string): Promise<string> {
    return this.#tokens.token(this.#asked(project))
  }

  /** @returns whether another one is worth a try */
  forgetRestored(project: string): Promise<boolean> {
    return this.#tokens.forgetRestored(this.#asked(project))
  }

  #asked(project: string): Readonly<Record<string, string>> {
    return this.#device === null ? { project } : { project, device: this.#device }
  }
}
