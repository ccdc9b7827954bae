import type { ClientPort } from "./ClientPort.ts"
import { MintedTokens } from "./MintedTokens.ts"

/** A room of a project. */
type Watched = Readonly<Record<"project" | "roomId", string>>

/** Credentials for rooms that the client only watches, one per room. Source: D-29. */
export const audienceTokens = (port: ClientPort, httpBase: string): MintedTokens<Watched> =>
  new MintedTokens(port, `${httpBase}/v1/audience`, { memory: port.tab ?? null })
