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
export const identityTokens = (
  port: ClientPort,
  httpBase: string,
  { scope, device }: IdentityOptions = { scope: "browser", device: null }
): MintedTokens<{ readonly project: string }> => {
  // A browser that lets pages store nothing for long may let them for the tab. A device needs no other memory.
  const shared = (scope === "browser" ? port.browser : null) ?? port.tab ?? null
  return new MintedTokens(
    port,
    `${httpBase}/v1/identity`,
    device === null ? { memory: shared } : { memory: null, more: { device } }
  )
}
