import { JoinError } from "./ClientErrors.ts"
import type { ClientPort } from "./ClientPort.ts"
import type { TokenMemory } from "./TokenMemory.ts"

interface Minted {
  readonly token: string
  readonly expiresAtMs: number
  /** From before this page was loaded: the service may know nothing of it any more. */
  readonly restored: boolean
}

/** The parameters of a request for a token. */
type Asked = Readonly<Record<string, string>>

/**
 * Tokens that an open endpoint mints, kept as long as they are valid, in a browser also when a page is
 * loaded again: an address may mint only so many. Source: D-26, C-123, C-223.
 */
export class MintedTokens<Of extends Asked> {
  readonly #port: ClientPort
  readonly #url: string
  readonly #memory: TokenMemory | null
  readonly #more: Asked
  readonly #minted = new Map<string, Promise<Minted>>()

  /** @param kept `memory` outlives the page; `more` goes into the body of each request */
  constructor(
    port: ClientPort,
    url: string,
    { memory, more = {} }: { readonly memory: TokenMemory | null; readonly more?: Asked }
  ) {
    this.#port = port
    this.#url = url
    this.#memory = memory
    this.#more = more
  }

  async token(asked: Of): Promise<string> {
    const key = this.#keyOf(asked)
    const kept = this.#minted.get(key)
    if (kept !== undefined) {
      const { token, expiresAtMs } = await kept
      if (expiresAtMs > this.#port.nowMs()) return token
      if (this.#minted.get(key) === kept) this.#minted.delete(key)
    }
    // A new token is used whatever its expiry says: the clock of a player's device may be wrong.
    return (await (this.#minted.get(key) ?? this.#getOnce(key, asked))).token
  }

  /** Mints another the next time. @returns false = it is no older than the page, and stays */
  async forgetRestored(asked: Of): Promise<boolean> {
    const key = this.#keyOf(asked)
    const kept = this.#minted.get(key)
    if (kept === undefined) return false
    const refused = await kept
    if (!refused.restored) return false
    // Another tab may have minted another one since.
    if (this.#inMemory(key)?.token === refused.token) this.#memory?.keep(key, "")
    if (this.#minted.get(key) === kept) this.#minted.delete(key)
    return true
  }

  #keyOf(asked: Asked): string {
    return [this.#url, ...Object.values(asked)].join(" ")
  }

  // Joins that start together must not become different players.
  #getOnce(key: string, asked: Asked): Promise<Minted> {
    const getting = this.#restored(key) ?? this.#mint(key, asked)
    this.#minted.set(key, getting)
    getting.catch(() => {
      if (this.#minted.get(key) === getting) this.#minted.delete(key)
    })
    return getting
  }

  #restored(key: string): Promise<Minted> | null {
    const kept = this.#inMemory(key)
    return kept === null ? null : Promise.resolve(kept)
  }

  #inMemory(key: string): Minted | null {
    const { token, expiresAtMs } = fieldsIn(this.#memory?.kept(key) ?? "")
    if (typeof token !== "string" || typeof expiresAtMs !== "number") return null
    return expiresAtMs <= this.#port.nowMs() ? null : { token, expiresAtMs, restored: true }
  }

  async #mint(key: string, asked: Asked): Promise<Minted> {
    const response = await this.#port
      .fetch(this.#url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...asked, ...this.#more })
      })
      .catch((error: unknown) => {
        throw new JoinError(
          { code: "E_UNREACHABLE", message: `${this.#url}: ${String(error)}` },
          null
        )
      })
    const body: unknown = await response.json().catch(() => null)
    if (!response.ok) throw new JoinError(this.#refusalIn(body, response.status), null)
    const { token, expiresAt } = fieldsOf(body)
    const expiresAtMs = typeof expiresAt === "string" ? Date.parse(expiresAt) : Number.NaN
    if (typeof token !== "string" || Number.isNaN(expiresAtMs)) {
      throw new JoinError({ code: "E_PROTOCOL", message: `${this.#url}: no token` }, null)
    }
    // Two tabs that were opened at once are one player: the first token that came is kept.
    const first = this.#inMemory(key)
    if (first !== null) return first
    this.#memory?.keep(key, JSON.stringify({ token, expiresAtMs }))
    return { token, expiresAtMs, restored: false }
  }

  #refusalIn(body: unknown, status: number): { code: string; message: string } {
    const { code, message } = fieldsOf(fieldsOf(body)["error"])
    return {
      code: typeof code === "string" ? code : "E_UNREACHABLE",
      message: typeof message === "string" ? message : `${this.#url}: HTTP ${status}`
    }
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {}

const fieldsIn = (text: string): Readonly<Record<string, unknown>> => {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return {}
  }
}
