import { JoinError } from "./ClientErrors.ts"
import type { ClientPort } from "./ClientPort.ts"

interface Minted {
  readonly token: string
  readonly expiresAtMs: number
}

/**
 * Anonymous identities, one per project, kept as long as they are valid: all rooms of one Client
 * see the same player. Source: D-27.
 */
export class Identity {
  readonly #port: ClientPort
  readonly #url: string
  readonly #minted = new Map<string, Promise<Minted>>()

  constructor(port: ClientPort, httpBase: string) {
    this.#port = port
    this.#url = `${httpBase}/v1/identity`
  }

  async token(project: string): Promise<string> {
    const kept = this.#minted.get(project)
    if (kept !== undefined) {
      const { token, expiresAtMs } = await kept
      if (expiresAtMs > this.#port.nowMs()) return token
      if (this.#minted.get(project) === kept) this.#minted.delete(project)
    }
    // A new token is used whatever its expiry says: the clock of a player's device may be wrong.
    return (await (this.#minted.get(project) ?? this.#mintOnce(project))).token
  }

  // Joins that start together must not become different players.
  #mintOnce(project: string): Promise<Minted> {
    const minting = this.#mint(project)
    this.#minted.set(project, minting)
    minting.catch(() => {
      if (this.#minted.get(project) === minting) this.#minted.delete(project)
    })
    return minting
  }

  async #mint(project: string): Promise<Minted> {
    const response = await this.#port
      .fetch(this.#url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ project })
      })
      .catch((error: unknown) => {
        throw new JoinError(
          { code: "E_UNREACHABLE", message: `${this.#url}: ${String(error)}` },
          null
        )
      })
    const body: unknown = await response.json().catch(() => null)
    if (!response.ok) throw new JoinError(refusalIn(body, response.status), null)
    const { token, expiresAt } = fieldsOf(body)
    const expiresAtMs = typeof expiresAt === "string" ? Date.parse(expiresAt) : Number.NaN
    if (typeof token === "string" && !Number.isNaN(expiresAtMs)) return { token, expiresAtMs }
    throw new JoinError({ code: "E_PROTOCOL", message: `${this.#url}: not an identity` }, null)
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {}

const refusalIn = (body: unknown, status: number): { code: string; message: string } => {
  const { code, message } = fieldsOf(fieldsOf(body)["error"])
  return {
    code: typeof code === "string" ? code : "E_UNREACHABLE",
    message: typeof message === "string" ? message : `identity: HTTP ${status}`
  }
}
